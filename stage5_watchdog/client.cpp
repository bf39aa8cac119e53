// This stage's lock as a program of its own: docs/client-protocol.md.
#include <utility>

#include "faults/client/program.h"
#include "stage5_watchdog/lock.h"

int main() {
  return client::serve(
      {.stage = "stage5_watchdog",
       .capabilities = {"lease", "token", "atomic_release", "renewal", "loss_notice"}},
      [](core::Server& server, std::string key, const client::LeaseRequest& request) {
        return std::make_unique<stage5::Lock>(server, std::move(key),
                                              request.options<stage5::Options>());
      });
}
