// This stage's lock as a program of its own: docs/client-protocol.md.
#include "stage7_redlock/lock.h"
#include "stage7_redlock/quorum_client.h"

int main() {
  return stage7::serve<stage7::Lock>(
      {.stage = "stage7_redlock",
       .capabilities = {"lease", "token", "atomic_release", "renewal", "loss_notice", "reentrant",
                        "join", "quorum"}});
}
