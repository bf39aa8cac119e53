// Results as exit codes, as JSON, and run with progress shown.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "faults/running/run.h"
#include "tools/table/options.h"

namespace table {

// Exit codes of a verdict.
inline constexpr int exit_holds = 0;
inline constexpr int exit_violated = 1;
inline constexpr int exit_cannot_run = 2;
inline constexpr int exit_not_shown = 3;  // not exercised, or inconclusive

[[nodiscard]] int exit_code(faults::Verdict verdict);

// A result for a machine to read; `difference` is that from the declaration, empty if none.
[[nodiscard]] nlohmann::json to_json(const faults::Result& result, const std::string& difference);

// Runs one scenario on one stage, with its progress on standard error after a second.
[[nodiscard]] faults::Result run_showing_progress(const faults::Stage& stage,
                                                  const faults::Scenario& scenario,
                                                  const faults::RunPlan& plan,
                                                  faults::Reaper& reaper);

// The plan of a run with these options: finds redis-server. Throws CannotRun.
[[nodiscard]] faults::RunPlan plan_for(const Options& options, faults::Reaper& reaper);

}  // namespace table
