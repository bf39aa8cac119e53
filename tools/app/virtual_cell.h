// A cell of the table in virtual time: a process of its own, which keeps its own time. So many
// cells run side by side, and none waits for another.
//
// Thread-safety: safe to share.
#pragma once

#include "faults/running/run_scenario.h"

namespace app {

// Does what `./lab run STAGE SCENARIO --time virtual` does, on one CPU, and reads the run that it
// leaves in `plan.runs`. Throws CannotRun.
[[nodiscard]] faults::Result run_cell_in_virtual_time(const faults::TestedLock& stage,
                                                      const faults::Scenario& scenario,
                                                      const faults::RunPlan& plan,
                                                      faults::Reaper& reaper);

}  // namespace app
