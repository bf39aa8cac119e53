// This stage's lock as a program of its own: docs/client-protocol.md.
#include <utility>

#include "faults/client/program.h"
#include "stage2_expire/lock.h"

int main() {
  return client::serve(
      {.stage = "stage2_expire", .capabilities = {"lease"}},
      [](core::Server& server, std::string key, const client::LeaseRequest& request) {
        return std::make_unique<stage2::Lock>(server, std::move(key), request.lease);
      });
}
