// The heartbeats of a client whose holders are monitored, as its environment says
// (docs/client-protocol.md).
//
// Any thread may call this.
#pragma once

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>

#include "core/address.h"
#include "core/heartbeats.h"

namespace client {

// Null: nobody hears them.
[[nodiscard]] inline std::shared_ptr<core::Heartbeats> heartbeats_from_environment() {
  const auto* post = std::getenv("LOCK_HEARTBEATS");
  const auto* period = std::getenv("LOCK_HEARTBEAT_MS");
  if (post == nullptr || period == nullptr) return nullptr;
  return std::make_shared<core::Heartbeats>(core::Address::parse(post),
                                            std::chrono::milliseconds(std::stol(period)));
}

}  // namespace client
