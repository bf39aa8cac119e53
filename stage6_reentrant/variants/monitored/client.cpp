// This stage's lock, whose holders send heartbeats to a monitor, as a program of its own:
// docs/client-protocol.md.
#include <utility>

#include "core/wrappers/heartbeat_lock.h"
#include "faults/client/heartbeats.h"
#include "faults/client/program.h"
#include "stage6_reentrant/lock.h"

namespace {

// A base, so that it is there before the lock around it is made.
struct Underneath {
  Underneath(core::Server& server, const std::string& key, const stage6::Options& options)
      : under(server, key, options) {}

  stage6::Lock under;
};

class MonitoredLock : private Underneath, public core::HeartbeatLock {
 public:
  MonitoredLock(core::Server& server, const std::string& key, const stage6::Options& options,
                std::shared_ptr<core::Heartbeats> heartbeats)
      : Underneath(server, key, options), core::HeartbeatLock(under, key, std::move(heartbeats)) {}
};

}  // namespace

int main() {
  return client::serve({.stage = "stage6_reentrant",
                        .capabilities = {"lease", "token", "atomic_release", "renewal",
                                         "loss_notice", "reentrant", "heartbeat"}},
                       [](core::Server& server, const std::string& key,
                          const client::LeaseRequest& request) -> std::unique_ptr<core::Lock> {
                         stage6::Options options{.max_hold = request.max_hold};
                         if (request.renewed) {
                           options.default_lease = request.lease;
                         } else {
                           options.lease = request.lease;
                         }
                         const auto heartbeats = client::heartbeats_from_environment();
                         if (!heartbeats)
                           return std::make_unique<stage6::Lock>(server, key, options);
                         return std::make_unique<MonitoredLock>(server, key, options, heartbeats);
                       });
}
