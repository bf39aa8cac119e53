// This stage's lock as a program of its own: docs/client-protocol.md.
#include <algorithm>
#include <optional>
#include <utility>

#include "client/program.h"
#include "stage7_redlock/lock.h"

int main() {
  std::optional<stage7::Quorum> quorum;
  return client::serve_quorum(
      {.stage = "stage7_redlock",
       .capabilities = {"lease", "token", "atomic_release", "renewal", "loss_notice", "reentrant",
                        "join", "quorum"}},
      [&](const auto& nodes, auto timeout, std::string key, const client::LeaseWish& wish) {
        // Longer than it should be: far below a lease. The kit's leases are short, and its machine
        // is busy; an answer that comes after the lease does not count anyway.
        constexpr std::chrono::milliseconds longest{2'000};
        if (!quorum) {
          quorum.emplace(nodes, stage7::QuorumOptions{.node_timeout = std::min(timeout, longest)});
        }
        stage7::Options options{.max_hold = wish.max_hold};
        if (wish.renewed) {
          options.default_lease = wish.lease;
        } else {
          options.lease = wish.lease;
        }
        return std::make_unique<stage7::Lock>(*quorum, std::move(key), options);
      });
}
