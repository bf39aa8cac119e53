// The grid of the locks of field/ and the scenarios: one cell for each pair, run several times, and
// judged again where its runs are kept. report.h makes a page of it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "faults/kit/reaper.h"
#include "faults/running/run_scenario.h"
#include "faults/scenarios/scenario.h"
#include "faults/world/tested_lock.h"

namespace field {

// The run with the worst verdict: violated, inconclusive, not exercised, holds. There must be one.
[[nodiscard]] const faults::Result& worst_of(const std::vector<faults::Result>& results);

// One lock under one scenario.
struct Cell {
  std::string lock;
  std::string scenario;
  // Why it does not apply, cannot be judged, or could not run; else empty.
  std::string not_run;
  bool could_not_run = false;           // of the three
  std::vector<faults::Result> results;  // one for each time that it was run
  // With a shortened lease, where the verdict is that of the default one: for comparison.
  std::vector<faults::Result> shortened = {};

  // The worst of the runs, if they differ. There must be one.
  [[nodiscard]] const faults::Result& worst() const { return worst_of(results); }
  [[nodiscard]] bool is_violated() const;
  [[nodiscard]] bool runs_agree() const;
  // "holds", "violated", "not promised", ...
  [[nodiscard]] std::string word() const;
};

struct Grid {
  std::vector<faults::TestedLock> locks;
  std::vector<std::string> left_out;  // locks that cannot be run here, each with the reason
  std::vector<Cell> cells;            // lock by lock, in the order of the scenarios
};

// The locks of these names, or all and their variants, with every cell that is to be run. Throws
// CannotRun for a name that is none; a lock that is not installed is left out, unless it was named.
[[nodiscard]] Grid empty_grid(const std::vector<std::string>& names);

// Judges again the runs that are kept below `runs`, each in the cell that it belongs to, which
// prefers those with the default lease (leases.h). Throws CannotRun if there is none.
void fill_from_kept(Grid& grid, const std::filesystem::path& runs);

// Takes the columns out that have no run.
void drop_locks_without_runs(Grid& grid);

// How cells are filled.
struct Filling {
  int times = 1;  // that each is run
  int jobs = 1;   // at once
  faults::RunScenario run_cell = faults::run_scenario;
  // Only the cells of these locks; empty: of all.
  std::function<bool(const faults::TestedLock&)> wants = {};
};

// Runs cells, and calls `done` after each, one call at a time. Throws CannotWrite.
void fill(Grid& grid, const faults::RunPlan& plan, const Filling& filling, faults::Reaper& reaper,
          const std::function<void(const Cell&)>& done);

}  // namespace field
