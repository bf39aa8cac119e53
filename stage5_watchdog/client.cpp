// This stage's lock as a program of its own: docs/client-protocol.md.
#include <utility>

#include "faults/client/program.h"
#include "stage5_watchdog/lock.h"

int main() {
  return client::serve(
      {.stage = "stage5_watchdog",
       .capabilities = {"lease", "token", "atomic_release", "renewal", "loss_notice"}},
      [](core::Server& server, std::string key, const client::LeaseRequest& request) {
        stage5::Options options{.max_hold = request.max_hold};
        if (request.renewed) {
          options.default_lease = request.lease;
        } else {
          options.lease = request.lease;
        }
        return std::make_unique<stage5::Lock>(server, std::move(key), options);
      });
}
