// For tests: a quorum of one node is held to everything that any lock is held to.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "core/redis/server.h"
#include "stage7_redlock/quorum.h"

namespace stage7 {

// Made when `server` is first named, and kept. Any node votes; an answer is waited for.
inline Quorum& quorum_of_one(const core::Server& server) {
  static std::map<core::Address, std::unique_ptr<Quorum>> all;
  auto& quorum = all[server.address()];
  if (!quorum) {
    quorum = std::make_unique<Quorum>(
        std::vector{server.address()},
        QuorumOptions{.node_timeout = std::chrono::milliseconds(10'000), .marker = ""});
  }
  return *quorum;
}

}  // namespace stage7
