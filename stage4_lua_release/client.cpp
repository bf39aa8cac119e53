// This stage's lock as a program of its own: docs/client-protocol.md.
#include <utility>

#include "faults/client/program.h"
#include "stage4_lua_release/lock.h"

int main() {
  return client::serve(
      {.stage = "stage4_lua_release", .capabilities = {"lease", "token", "atomic_release"}},
      [](core::Server& server, std::string key, const client::LeaseRequest& request) {
        return std::make_unique<stage4::Lock>(server, std::move(key), request.lease);
      });
}
