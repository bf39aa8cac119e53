#include "tools/report/runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "faults/kit/errors.h"
#include "faults/running/kept_run.h"

namespace report {
namespace {

namespace fs = std::filesystem;

bool is_run(const fs::path& directory) {
  return fs::exists(directory / "run.json");
}

// Sorted by name, which begins with the time.
std::vector<fs::path> runs_in(const fs::path& directory) {
  std::vector<fs::path> runs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (is_run(entry.path())) runs.push_back(entry.path());
  }
  std::sort(runs.begin(), runs.end());
  return runs;
}

// Skips runs that cannot be judged: an interrupted run must not spoil the table.
std::vector<faults::Result> results_in(const fs::path& directory, std::size_t& skipped) {
  std::vector<faults::Result> results;
  for (const auto& run : runs_in(directory)) {
    try {
      results.push_back(faults::judge_again(run));
    } catch (const faults::CannotRun&) {
      ++skipped;
    }
  }
  return results;
}

// The cell of a result; null if its stage has no column, as a wrong turn has none.
table::Cell* cell_of(table::Grid& grid, const faults::Result& result) {
  for (std::size_t i = 0; i < grid.cells.size(); ++i) {
    const bool fits =
        grid.stage_of(i).name == result.stage && grid.scenario_of(i).name == result.scenario;
    if (fits) return &grid.cells[i];
  }
  return nullptr;
}

}  // namespace

FromRuns grid_from(const fs::path& directory) {
  FromRuns from{.grid = table::empty_grid()};
  auto& grid = from.grid;
  bool found = false;
  std::vector<faults::Result> results;
  if (is_run(directory)) {
    results.push_back(faults::judge_again(directory));
  } else {
    results = results_in(directory, from.skipped);
  }
  for (auto& result : results) {
    auto* cell = cell_of(grid, result);
    if (cell == nullptr) continue;
    found = true;
    const auto& stage = grid.stage_of(static_cast<std::size_t>(cell - grid.cells.data()));
    cell->difference = faults::difference_from_declared(stage, result);
    cell->result = std::move(result);
  }
  if (!found) {
    throw faults::CannotRun(
        fmt::format("{} has no run of a stage in it: name the directory that ./lab table left "
                    "below runs/, or one "
                    "run's; without --from the table is run now",
                    directory.native()));
  }
  return from;
}

}  // namespace report
