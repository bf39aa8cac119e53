// The ways to wait for a lock that somebody else holds.
//
//   stage6::Lock lock(server, "orders", {.waiting = core::Waiting::fixed(10ms)});   // polling
//   stage6::Lock lock(server, "orders", {.waiting = stage6::Notified{}});           // the default
//   stage6::Lock lock(server, "orders", {.waiting = stage6::Queued{}});
//
// All who share a key must choose alike as soon as one of them queues: a release of the others
// hands nothing on, and they take a free lock that others stand in line for.
// Thread-safety: values.
#pragma once

#include <variant>

#include "core/waiting.h"

namespace stage6 {

// All who wait are told of a release, and ask; one gets in.
struct Notified {};

// First come, first served: a release hands the lock to the one who has waited longest.
struct Queued {
  // Stands before all others instead of behind them, and takes a free lock although others wait.
  bool overtakes = false;
};

// Polling, with pauses as told: asks, again and again.
using Polling = core::Waiting;

using WayToWait = std::variant<Notified, Queued, Polling>;

}  // namespace stage6
