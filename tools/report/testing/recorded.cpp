#include "tools/report/testing/recorded.h"

#include "faults/judging/judge.h"
#include "tools/book/documents.h"

namespace report {
namespace {

namespace fs = std::filesystem;

void fill_cell(table::Grid& grid, std::size_t cell, const fs::path& history) {
  grid.cells[cell].result =
      faults::Result{.stage = grid.stage_of(cell).name,
                     .scenario = grid.scenario_of(cell).name,
                     .directory = {},
                     .executions = {{.boundary = {},
                                     .judgement = faults::judge(faults::read_record(history)),
                                     .history = history}},
                     .again = "./lab run"};
}

}  // namespace

fs::path recorded(const std::string& stage, const std::string& scenario) {
  return fs::path(LAB_SOURCE_DIR) / "faults" / "recorded" / stage / (scenario + ".jsonl");
}

table::Grid grid_of(const std::string& stage, const std::string& scenario) {
  auto grid = table::empty_grid();
  for (std::size_t i = 0; i < grid.cells.size(); ++i) {
    const bool is_it = grid.stage_of(i).name == stage && grid.scenario_of(i).name == scenario;
    if (is_it) fill_cell(grid, i, recorded(stage, scenario));
  }
  return grid;
}

table::Grid full_grid() {
  auto grid = table::empty_grid();
  std::size_t next = 0;
  for (std::size_t i = 0; i < grid.cells.size(); ++i) {
    const auto& stage = grid.stage_of(i);
    if (!grid.cells[i].does_not_apply.empty()) continue;
    const auto shown = book::shown_scenarios(stage);
    fill_cell(grid, i, recorded(stage.name, shown[next++ % shown.size()]));
  }
  return grid;
}

}  // namespace report
