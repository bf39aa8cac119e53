// Fills a grid by running its cells, several at once.
#pragma once

#include <functional>

#include "faults/kit/reaper.h"
#include "faults/running/run.h"
#include "table/grid.h"
#include "table/options.h"

namespace table {

// Runs every cell, `jobs` at once, and calls `changed` (one call at a time) after each. Throws
// CannotRun, as soon as one cell could not run.
void fill(Grid& grid, const faults::RunPlan& plan, int jobs, faults::Reaper& reaper,
          const std::function<void()>& changed);

// The same, and says on standard error how far it is. `wanted`: see jobs_for.
void fill_showing_progress(Grid& grid, const faults::RunPlan& plan, int wanted,
                           faults::Reaper& reaper, const std::function<void()>& changed);

// Where a table's runs go, and with which server. Throws CannotRun.
[[nodiscard]] faults::RunPlan table_plan(const Options& options, faults::Reaper& reaper);
// How many cells at once, if a person wants `wanted`; 0: chosen.
[[nodiscard]] int jobs_for(int wanted);

}  // namespace table
