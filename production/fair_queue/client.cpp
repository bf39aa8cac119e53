// The fair lock as a program of its own: docs/client-protocol.md.
#include <utility>

#include "faults/client/program.h"
#include "production/fair_queue/lock.h"

int main() {
  return client::serve(
      {.stage = "fair_queue",
       .capabilities = {"lease", "token", "atomic_release", "renewal", "loss_notice", "reentrant",
                        "join"}},
      [](core::Server& server, std::string key, const client::LeaseRequest& request) {
        fair_queue::Options options{.max_hold = request.max_hold};
        if (request.renewed) {
          options.default_lease = request.lease;
        } else {
          options.lease = request.lease;
        }
        return std::make_unique<fair_queue::Lock>(server, std::move(key), options);
      });
}
