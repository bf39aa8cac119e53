// A client's settings, read from its environment at start (docs/client-protocol.md).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/redis/address.h"

namespace client {

struct Settings {
  std::string name;                         // LOCK_CLIENT: this client's name, for the storage
  std::vector<core::Address> nodes;         // LOCK_NODES: Redis servers, separated by commas
  core::Address storage;                    // LOCK_STORAGE: what the lock protects
  std::chrono::milliseconds lease{30'000};  // LOCK_LEASE_MS: the default lease
  std::optional<std::chrono::milliseconds> max_hold;  // LOCK_MAX_HOLD_MS: when renewal ends
  std::chrono::milliseconds timeout{1'000};  // LOCK_TIMEOUT_MS: longest silence of a lock server
};

// Throws std::invalid_argument with a sentence that names the missing or wrong variable.
[[nodiscard]] Settings settings_from_environment();

}  // namespace client
