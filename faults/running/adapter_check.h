// Checks a client program before any verdict on its lock: that it speaks the client protocol, and
// that its declared facts are true.
#pragma once

#include <string>
#include <vector>

#include "faults/running/run_scenario.h"
#include "faults/world/tested_lock.h"

namespace faults {

// One thing that was looked at.
struct CheckedFact {
  std::string what;   // such as "gives the lock to one client at a time"
  std::string wrong;  // one sentence; empty: it is right
};

// Starts clients of `lock` on fresh servers, without a fault, and looks at them. Stops at the
// first thing without which the rest cannot be looked at. Throws CannotRun if that is not the
// client's doing.
[[nodiscard]] std::vector<CheckedFact> check_adapter(const TestedLock& lock, const RunPlan& plan,
                                                     Reaper& reaper);

}  // namespace faults
