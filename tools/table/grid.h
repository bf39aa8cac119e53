// The grid of stages and scenarios: one cell for each pair, with what came of its run.
//
// fill.h runs its cells, cell_text.h puts them into words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "faults/running/run_scenario.h"
#include "faults/scenarios/scenario.h"
#include "faults/world/tested_lock.h"

namespace table {

struct Cell {
  std::optional<faults::Result> result;
  std::string does_not_apply;  // why there is none; empty otherwise
  std::string difference;      // from what is declared; empty if none
};

struct Grid {
  std::vector<faults::TestedLock> stages;
  std::vector<faults::Scenario> scenarios;
  std::vector<Cell> cells;  // row by row

  [[nodiscard]] const Cell& at(std::size_t row, std::size_t column) const {
    return cells[row * stages.size() + column];
  }
  // The stage and the scenario of cells[i].
  [[nodiscard]] const faults::TestedLock& stage_of(std::size_t i) const {
    return stages[i % stages.size()];
  }
  [[nodiscard]] const faults::Scenario& scenario_of(std::size_t i) const {
    return scenarios[i / stages.size()];
  }
  // True if every cell was run, or does not apply, and none differs from its declaration.
  [[nodiscard]] bool as_declared() const;
};

// Those stages, and every scenario that stages play; no cell filled.
[[nodiscard]] Grid empty_grid(std::vector<faults::TestedLock> stages);
// The rows of `grid` that are named, in that order. Throws std::out_of_range for a name without
// row.
[[nodiscard]] Grid rows_of(const Grid& grid, const std::vector<std::string>& names);
// Of every stage. Throws CannotRun.
[[nodiscard]] Grid empty_grid();

}  // namespace table
