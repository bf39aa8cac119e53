// Eight clients, each in a process of its own, that want one lock again and again, and what came of
// it: the plan that a worker (worker.cpp) is given, what it tells, and what all of that means.
//
// Times are nanoseconds on CLOCK_MONOTONIC, which all processes of a machine share. Thread-safety:
// values.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/stages.h"

namespace bench {

using Nanoseconds = std::chrono::nanoseconds;

// What a worker is to do.
struct WorkerPlan {
  StandPlan stand;
  Nanoseconds held{0};   // how long it keeps the lock
  Nanoseconds pause{0};  // and then leaves it alone
};
[[nodiscard]] nlohmann::json to_json(const WorkerPlan& plan);
[[nodiscard]] WorkerPlan worker_plan(const nlohmann::json& object);

// One acquisition, from when the lock was asked for to when the release returned.
struct Turn {
  Nanoseconds asked{0};
  Nanoseconds acquired{0};
  Nanoseconds releasing{0};  // the release begins
  Nanoseconds released{0};
};
using Turns = std::vector<Turn>;  // of one client, in order
[[nodiscard]] nlohmann::json to_json(const Turns& turns);
[[nodiscard]] Turns turns_from(const nlohmann::json& array);

struct Crowd {
  double per_second = 0;       // acquisitions between `begin` and `end`
  Nanoseconds handoff_p50{0};  // a release begins → who waits for it has the lock
  Nanoseconds handoff_p99{0};
  Nanoseconds wait_p999{0};
  Nanoseconds longest_wait{0};
  double least = 0;  // acquisitions of the unluckiest client
  double most = 0;
};
// Waits and hand-offs are of those who had the lock from `begin` on and asked for it before `end`;
// what was before is only checked. Throws WrongResult if two had the lock at once, or nobody had
// it.
[[nodiscard]] Crowd crowd_of(const std::vector<Turns>& clients, Nanoseconds begin, Nanoseconds end);

}  // namespace bench
