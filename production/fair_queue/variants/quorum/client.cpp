// The fair lock around stage 7, on a quorum, as a program of its own: docs/client-protocol.md.
#include <chrono>

#include "production/fair_queue/lock.h"
#include "stage7_redlock/lock.h"
#include "stage7_redlock/quorum_client.h"

namespace {

// A slow machine is no dead server: it may take longer than usual to answer.
class Lock : public fair_queue::Around<stage7::Lock> {
 public:
  Lock(stage7::Quorum& quorum, const std::string& key, stage7::Options options)
      : Around({.patience = std::chrono::milliseconds(300)}, quorum, key, options) {}
};

}  // namespace

int main() {
  return stage7::serve<Lock>({.stage = "fair_queue/quorum",
                              .capabilities = {"lease", "token", "atomic_release", "renewal",
                                               "loss_notice", "reentrant", "join", "quorum"}});
}
