// This stage's lock, polling, as a program of its own: docs/client-protocol.md.
#include <utility>

#include "faults/client/program.h"
#include "stage6_reentrant/variants/polling/polling_lock.h"

int main() {
  return client::serve(
      {.stage = "stage6_reentrant",
       .capabilities = {"lease", "token", "atomic_release", "renewal", "loss_notice", "reentrant",
                        "join"}},
      [](core::Server& server, std::string key, const client::LeaseRequest& request) {
        return std::make_unique<stage6::PollingLock>(
            server, std::move(key), core::Waiting::fixed(std::chrono::milliseconds(5)),
            request.options<stage6::Options>());
      });
}
