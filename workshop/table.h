// The grid of stages and scenarios, filled by running them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "faults/kit/reaper.h"
#include "faults/run.h"
#include "faults/scenario.h"
#include "faults/stage.h"
#include "workshop/commands.h"

namespace workshop {

struct Cell {
  std::optional<faults::Result> result;
  std::string does_not_apply;  // why there is none; empty otherwise
  std::string difference;      // from what is declared; empty if none
};

struct Grid {
  std::vector<faults::Stage> stages;
  std::vector<faults::Scenario> scenarios;
  std::vector<Cell> cells;  // row by row

  [[nodiscard]] const Cell& at(std::size_t row, std::size_t column) const {
    return cells[row * stages.size() + column];
  }
  [[nodiscard]] bool as_declared() const;
};

// Every stage and every scenario, no cell filled. Throws CannotRun.
[[nodiscard]] Grid empty_grid();

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

// A cell in two words, such as "✗ two inside"; with a mark if it is not as declared.
[[nodiscard]] std::string cell_text(const Cell& cell);

// What the words and marks of a table's cells mean, each in a few words.
[[nodiscard]] std::vector<std::string> legend();

// Says which cells are not as declared or have shown nothing, and how to look at each.
void show_differences(const Grid& grid, const faults::Paint& paint);

// As it stands in README.md: each cell as the run found it.
[[nodiscard]] std::string as_markdown(const Grid& grid);
// The same with each cell as it is declared, whether it was run or not.
[[nodiscard]] std::string declared_as_markdown(const Grid& grid);

}  // namespace workshop
