// The introduction of a foreign lock: what it says and shows of itself, before it is judged.
#pragma once

#include <string>
#include <vector>

#include "faults/kit/reaper.h"
#include "faults/running/run_scenario.h"
#include "faults/world/tested_lock.h"

namespace faults {

struct Introduction {
  std::string name;                       // its answer to `hello`
  std::string version;                    // of the library: the same
  std::vector<std::string> capabilities;  // the same
  std::string key;                        // that it wrote for the lock; empty: none was seen
};

// Starts a client of `lock` on fresh servers, and has it take the lock once. Throws CannotRun.
[[nodiscard]] Introduction introduce(const TestedLock& lock, const RunPlan& plan, Reaper& reaper);

}  // namespace faults
