// This stage's lock as a program of its own: docs/client-protocol.md.
#include <utility>

#include "faults/client/program.h"
#include "stage6_reentrant/lock.h"

int main() {
  return client::serve(
      {.stage = "stage6_reentrant",
       .capabilities = {"lease", "token", "atomic_release", "renewal", "loss_notice", "reentrant",
                        "join"}},
      [](core::Server& server, std::string key, const client::LeaseRequest& request) {
        return std::make_unique<stage6::Lock>(server, std::move(key),
                                              request.options<stage6::Options>());
      });
}
