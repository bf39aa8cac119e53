// This stage's lock, whose holders send heartbeats to a monitor, as a program of its own:
// docs/client-protocol.md.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/wrappers/heartbeat_lock.h"
#include "faults/client/heartbeats.h"
#include "faults/client/program.h"
#include "stage8_fencing/lock.h"

namespace {

// A base, so that it is there before the lock around it is made.
struct Underneath {
  Underneath(stage7::Quorum& quorum, const std::string& key, const stage8::Options& options)
      : under(quorum, key, options) {}

  stage8::Lock under;
};

// The token on the servers is the part of the hold's before the fencing token.
std::optional<std::string> token_on_servers(const core::Lock& lock) {
  auto token = lock.hold_token();
  if (token) token->resize(std::min(token->find('/'), token->size()));
  return token;
}

class MonitoredLock : private Underneath, public core::HeartbeatLock {
 public:
  MonitoredLock(stage7::Quorum& quorum, const std::string& key, const stage8::Options& options,
                std::shared_ptr<core::Heartbeats> heartbeats)
      : Underneath(quorum, key, options),
        core::HeartbeatLock(under, key, std::move(heartbeats), token_on_servers) {}
};

}  // namespace

int main() {
  std::optional<stage7::Quorum> quorum;
  return client::serve_quorum(
      {.stage = "stage8_fencing",
       .capabilities = {"lease", "token", "atomic_release", "renewal", "loss_notice", "reentrant",
                        "join", "quorum", "fencing", "heartbeat"}},
      [&](const auto& nodes, auto timeout, const std::string& key,
          const client::LeaseRequest& request) -> std::unique_ptr<core::Lock> {
        constexpr std::chrono::milliseconds longest{2'000};  // as the stage's client
        if (!quorum) {
          quorum.emplace(nodes, stage7::QuorumOptions{.node_timeout = std::min(timeout, longest)});
        }
        stage8::Options options{.max_hold = request.max_hold};
        if (request.renewed) {
          options.default_lease = request.lease;
        } else {
          options.lease = request.lease;
        }
        const auto heartbeats = client::heartbeats_from_environment();
        if (!heartbeats) return std::make_unique<stage8::Lock>(*quorum, key, options);
        return std::make_unique<MonitoredLock>(*quorum, key, options, heartbeats);
      });
}
