// This stage's lock as a program of its own: docs/client-protocol.md.
#include "stage7_redlock/quorum_client.h"
#include "stage8_fencing/lock.h"

int main() {
  return stage7::serve<stage8::Lock>(
      {.stage = "stage8_fencing",
       .capabilities = {"lease", "token", "atomic_release", "renewal", "loss_notice", "reentrant",
                        "join", "quorum", "fencing"}});
}
