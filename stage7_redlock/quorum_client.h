// The client program of a lock on a quorum: docs/client-protocol.md.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "faults/client/program.h"
#include "stage7_redlock/names.h"
#include "stage7_redlock/quorum.h"

namespace stage7 {

// `serve_quorum` for `Lock`, which is made of a quorum, a key and options.
template <typename Lock>
int serve(const client::Identity& identity) {
  std::optional<Quorum> quorum;
  return client::serve_quorum(
      identity, [&](const auto& nodes, auto timeout, std::string key, const auto& request) {
        // An answer that comes after the lease counts for nothing, and most leases here are shorter
        // than this: what bounds an acquire is its majority. In a program of yours, where leases
        // are long, take the usual answer time of a node many times over, and far less than a
        // lease.
        constexpr std::chrono::milliseconds longest{2'000};
        if (!quorum)
          quorum.emplace(nodes, QuorumOptions{.node_timeout = std::min(timeout, longest)});
        return std::make_unique<Lock>(*quorum, std::move(key), request.template options<Options>());
      });
}

}  // namespace stage7
