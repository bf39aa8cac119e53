// This stage's lock as a program of its own: docs/client-protocol.md.
#include <utility>

#include "faults/client/program.h"
#include "stage3_set_nx_px/lock.h"

int main() {
  return client::serve(
      {.stage = "stage3_set_nx_px", .capabilities = {"lease", "token"}},
      [](core::Server& server, std::string key, const client::LeaseRequest& request) {
        return std::make_unique<stage3::Lock>(server, std::move(key), request.lease);
      });
}
