// Fills a grid by running its cells, several at once.
#pragma once

#include <functional>

#include "faults/kit/reaper.h"
#include "faults/running/run_scenario.h"
#include "tools/table/grid.h"
#include "tools/terminal/options.h"

namespace table {

// Runs every cell, `jobs` at once, and calls `changed` after each, one call at a time. Throws
// CannotRun as soon as one cell could not run.
void fill(Grid& grid, const faults::RunPlan& plan, int jobs, faults::Reaper& reaper,
          const std::function<void()>& changed,
          const faults::RunScenario& run_cell = faults::run_scenario);

// The same, with its progress on standard error. `wanted`: see jobs_for.
void fill_showing_progress(Grid& grid, const terminal::Language& language,
                           const faults::RunPlan& plan, int wanted, faults::Reaper& reaper,
                           const std::function<void()>& changed,
                           const faults::RunScenario& run_cell = faults::run_scenario);

// The plan of a run of the table: a directory of its own, and the server. Throws CannotRun.
[[nodiscard]] faults::RunPlan table_plan(const terminal::Options& options, faults::Reaper& reaper);
// How many cells at once: `wanted`, or the usual number if that is 0.
[[nodiscard]] int jobs_for(int wanted);

}  // namespace table
