// This stage's lock as a program of its own: docs/client-protocol.md.
#include <algorithm>
#include <optional>
#include <utility>

#include "faults/client/program.h"
#include "stage8_fencing/lock.h"

int main() {
  std::optional<stage7::Quorum> quorum;
  return client::serve_quorum(
      {.stage = "stage8_fencing",
       .capabilities = {"lease", "token", "atomic_release", "renewal", "loss_notice", "reentrant",
                        "join", "quorum", "fencing"}},
      [&](const auto& nodes, auto timeout, std::string key, const client::LeaseRequest& request) {
        // An answer that comes after the lease counts for nothing, and most leases here are shorter
        // than this: what bounds an acquire is its majority. In a program of yours, where leases
        // are long, take the usual answer time of a node many times over, and far less than a
        // lease.
        constexpr std::chrono::milliseconds longest{2'000};
        if (!quorum) {
          quorum.emplace(nodes, stage7::QuorumOptions{.node_timeout = std::min(timeout, longest)});
        }
        stage8::Options options{.max_hold = request.max_hold};
        if (request.renewed) {
          options.default_lease = request.lease;
        } else {
          options.lease = request.lease;
        }
        return std::make_unique<stage8::Lock>(*quorum, std::move(key), options);
      });
}
