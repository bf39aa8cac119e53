// One run of a scenario, with its progress shown to a person.
#pragma once

#include "faults/running/run_scenario.h"
#include "tools/terminal/options.h"

namespace terminal {

// The plan of a run with these options: finds redis-server. Throws CannotRun.
[[nodiscard]] faults::RunPlan plan_for(const Options& options, faults::Reaper& reaper);

// Runs one scenario on one stage, with its progress on standard error after a second.
[[nodiscard]] faults::Result run_showing_progress(const faults::TestedLock& stage,
                                                  const faults::Scenario& scenario,
                                                  const faults::RunPlan& plan,
                                                  const Language& language, faults::Reaper& reaper);

// The report of a run for standard output, in the reader's language.
[[nodiscard]] std::string told(const faults::Result& result, const Options& options);

}  // namespace terminal
