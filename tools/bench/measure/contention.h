// Eight clients, each in a process of its own, want one lock again and again: the plan that a
// worker (worker.cpp) is given, the acquisitions that it reports, and their statistics.
//
// Times are nanoseconds on CLOCK_MONOTONIC, which all processes of a machine share. Thread-safety:
// values.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/bench/measure/fixture.h"

namespace bench {

using Nanoseconds = std::chrono::nanoseconds;

// A worker's orders.
struct WorkerPlan {
  FixturePlan fixture;
  Nanoseconds held{0};   // how long it keeps the lock
  Nanoseconds pause{0};  // and then leaves it alone
};
[[nodiscard]] nlohmann::json to_json(const WorkerPlan& plan);
[[nodiscard]] WorkerPlan worker_plan(const nlohmann::json& object);

// One acquisition, from when the lock was asked for to when the release returned.
struct Acquisition {
  Nanoseconds asked{0};
  Nanoseconds acquired{0};
  Nanoseconds releasing{0};  // the release begins
  Nanoseconds released{0};
};
using Acquisitions = std::vector<Acquisition>;  // of one client, in order
[[nodiscard]] nlohmann::json to_json(const Acquisitions& acquisitions);
[[nodiscard]] Acquisitions acquisitions_from(const nlohmann::json& array);

struct ContentionStats {
  double per_second = 0;       // acquisitions between `begin` and `end`
  Nanoseconds handoff_p50{0};  // from the begin of a release until the next waiter has the lock
  Nanoseconds handoff_p99{0};
  Nanoseconds wait_p999{0};
  Nanoseconds longest_wait{0};
  double least = 0;  // acquisitions of the unluckiest client
  double most = 0;
};
// Waits and hand-offs are of acquisitions from `begin` on that were asked for before `end`; earlier
// ones are only checked. Throws WrongResult if two clients had the lock at once, or none had it.
[[nodiscard]] ContentionStats contention_stats(const std::vector<Acquisitions>& clients,
                                               Nanoseconds begin, Nanoseconds end);

}  // namespace bench
