// The fair lock around stage 6 as a program of its own: docs/client-protocol.md.
#include <utility>

#include "faults/client/program.h"
#include "production/fair_queue/lock.h"
#include "stage6_reentrant/lock.h"

int main() {
  return client::serve(
      {.stage = "fair_queue",
       .capabilities = {"lease", "token", "atomic_release", "renewal", "loss_notice", "reentrant",
                        "join"}},
      [](core::Server& server, std::string key, const client::LeaseRequest& request) {
        return std::make_unique<fair_queue::Around<stage6::Lock>>(
            server, std::move(key), request.options<stage6::Options>());
      });
}
