#include "tools/table/grid.h"

#include <algorithm>
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

}  // namespace table
