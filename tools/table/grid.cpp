#include "tools/table/grid.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tools/table/stages.h"

namespace table {

bool Grid::as_declared() const {
  return std::all_of(cells.begin(), cells.end(), [](const Cell& cell) {
    return (cell.result || !cell.does_not_apply.empty()) && cell.difference.empty();
  });
}

Grid empty_grid() {
  return empty_grid(all_stages());
}

Grid empty_grid(std::vector<faults::TestedLock> stages) {
  Grid grid{.stages = std::move(stages), .scenarios = {}, .cells = {}};
  for (const auto& scenario : faults::all_scenarios()) {
    if (!scenario.is_beside_the_stages()) grid.scenarios.push_back(scenario);
  }
  for (const auto& scenario : grid.scenarios) {
    for (const auto& stage : grid.stages) {
      const auto found = stage.declared.find(scenario.name);
      const bool known = found != stage.declared.end();
      grid.cells.push_back({.result = {},
                            .does_not_apply = known ? found->second.does_not_apply : "",
                            .difference = {}});
    }
  }
  return grid;
}

Grid rows_of(const Grid& grid, const std::vector<std::string>& names) {
  Grid few{.stages = grid.stages, .scenarios = {}, .cells = {}};
  for (const auto& name : names) {
    const auto found = std::find_if(grid.scenarios.begin(), grid.scenarios.end(),
                                    [&](const auto& scenario) { return scenario.name == name; });
    if (found == grid.scenarios.end()) throw std::out_of_range("no row " + name);
    few.scenarios.push_back(*found);
    const auto row = static_cast<std::size_t>(found - grid.scenarios.begin());
    for (std::size_t column = 0; column < grid.stages.size(); ++column) {
      few.cells.push_back(grid.at(row, column));
    }
  }
  return few;
}

}  // namespace table
