// This stage's lock as a program of its own: docs/client-protocol.md.
#include <algorithm>
#include <optional>
#include <utility>

#include "client/program.h"
#include "lock.h"

int main() {
  std::optional<stage7::Quorum> quorum;
  return client::serve_quorum(
      {.stage = "exercise7",
       .capabilities = {"lease", "token", "atomic_release", "renewal", "loss_notice", "reentrant",
                        "join", "quorum"}},
      [&](const auto& nodes, auto timeout, std::string key, const client::LeaseWish& wish) {
        // An answer that comes after the lease counts for nothing, and most leases here are shorter
        // than this: what bounds an acquire is its majority. In a program of yours, where leases
        // are long, take the usual answer time of a node many times over, and far less than a
        // lease.
        constexpr std::chrono::milliseconds longest{300};
        if (!quorum) {
          quorum.emplace(nodes, stage7::QuorumOptions{.node_timeout = std::min(timeout, longest)});
        }
        mine::Options options{.max_hold = wish.max_hold};
        if (wish.renewed) {
          options.default_lease = wish.lease;
        } else {
          options.lease = wish.lease;
        }
        return std::make_unique<mine::Lock>(*quorum, std::move(key), options);
      });
}
