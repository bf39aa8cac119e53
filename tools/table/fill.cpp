#include "tools/table/fill.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <mutex>
#include <utility>

#include "faults/running/parallel.h"
#include "tools/terminal/console.h"
#include "tools/terminal/options.h"
#include "tools/terminal/shown_run.h"

namespace table {

void fill(Grid& grid, const faults::RunPlan& plan, int jobs, faults::Reaper& reaper,
          const std::function<void()>& changed, const faults::RunScenario& run_cell) {
  std::mutex mutex;
  faults::run_in_parallel(grid.cells.size(), jobs, [&](std::size_t i) {
    const auto& stage = grid.stage_of(i);
    const auto& scenario = grid.scenario_of(i);
    if (!grid.cells[i].does_not_apply.empty()) return;
    auto result = run_cell(stage, scenario, plan, reaper);
    auto difference = faults::difference_from_declared(stage, result);
    const std::lock_guard guard(mutex);
    grid.cells[i].result = std::move(result);
    grid.cells[i].difference = std::move(difference);
    changed();
  });
}

void fill_showing_progress(Grid& grid, const terminal::Language& language,
                           const faults::RunPlan& plan, int wanted, faults::Reaper& reaper,
                           const std::function<void()>& changed,
                           const faults::RunScenario& run_cell) {
  const auto all = std::count_if(grid.cells.begin(), grid.cells.end(),
                                 [](const Cell& cell) { return cell.does_not_apply.empty(); });
  std::size_t done = 0;
  terminal::Progress progress(language("filling the table"));
  auto heard = plan;
  heard.say = [&](const std::string& sentence) { progress.say(language(sentence)); };
  const auto count = [&] {
    progress.change(language(fmt::format("{} of {} cells", ++done, all)));
    changed();
  };
  fill(grid, heard, jobs_for(wanted), reaper, count, run_cell);
}

int jobs_for(int wanted) {
  return wanted > 0 ? wanted : faults::usual_jobs();
}

faults::RunPlan table_plan(const terminal::Options& options, faults::Reaper& reaper) {
  auto plan = terminal::plan_for(options, reaper);
  const auto stamp = fmt::format("{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  plan.runs /= fmt::format("{}-table-{}", stamp, getpid());
  return plan;
}

}  // namespace table
