// This stage's lock as a program of its own: docs/client-protocol.md.
#include <utility>

#include "faults/client/program.h"
#include "stage1_setnx/lock.h"

int main() {
  return client::serve({.stage = "stage1_setnx", .capabilities = {}},
                       [](core::Server& server, std::string key, const client::LeaseRequest&) {
                         return std::make_unique<stage1::Lock>(server, std::move(key));
                       });
}
