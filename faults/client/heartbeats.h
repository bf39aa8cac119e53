// The heartbeats of a client whose holders are monitored, as its environment says
// (docs/client-protocol.md).
//
// Any thread may call this.
#pragma once

#include <memory>

#include "core/wrappers/heartbeats.h"
#include "faults/client/settings.h"

namespace client {

// The one of this process; null: nobody hears them. `serve` has checked the environment before it
// makes the first lock.
[[nodiscard]] inline std::shared_ptr<core::Heartbeats> heartbeats_from_environment() {
  static const auto heartbeats = [] {
    const auto settings = settings_from_environment();
    return settings.heartbeats
               ? std::make_shared<core::Heartbeats>(*settings.heartbeats, settings.heartbeat_period)
               : nullptr;
  }();
  return heartbeats;
}

}  // namespace client
