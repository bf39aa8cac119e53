#include "tools/field/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "faults/kit/errors.h"
#include "faults/running/kept_run.h"
#include "faults/running/parallel.h"
#include "tools/field/leases.h"
#include "tools/field/locks.h"

namespace field {
namespace {

using faults::Verdict;

int rank(Verdict verdict) {
  switch (verdict) {
    case Verdict::violated: return 3;
    case Verdict::inconclusive: return 2;
    case Verdict::not_exercised: return 1;
    case Verdict::holds: break;
  }
  return 0;
}

std::string why_not_run(const faults::Scenario& scenario, const faults::TestedLock& lock) {
  const auto& doubts = lock.facts->not_judged;
  const auto doubt = doubts.find(scenario.name);
  if (doubt != doubts.end()) return fmt::format("{}: {}", faults::cannot_be_judged, doubt->second);
  return faults::why_not_applicable(scenario, lock);
}

void add_cells(Grid& grid, const faults::TestedLock& lock) {
  for (const auto& scenario : faults::all_scenarios()) {
    grid.cells.push_back({.lock = lock.name,
                          .scenario = scenario.name,
                          .not_run = why_not_run(scenario, lock),
                          .results = {}});
  }
}

void run_times(Cell& cell, const faults::TestedLock& lock, const faults::RunPlan& plan,
               const Filling& filling, faults::Reaper& reaper) {
  const auto& scenario = *faults::find_scenario(cell.scenario);
  try {
    for (int i = 0; i < filling.times; ++i) {
      cell.results.push_back(filling.run_cell(lock, scenario, plan, reaper));
    }
  } catch (const faults::CannotWrite&) {
    throw;
  } catch (const faults::CannotRun& error) {
    cell.results.clear();
    cell.not_run = error.what();
    cell.could_not_run = true;
  }
}

// Each lock, followed by its variants.
std::vector<std::string> names_with_variants() {
  std::vector<std::string> names;
  for (const auto& lock : all_locks()) {
    names.push_back(lock.name);
    if (!lock.is_installed()) continue;
    for (const auto& [variant, each] : lock.variants) {
      names.push_back(fmt::format("{}/{}", lock.name, variant));
    }
  }
  return names;
}

}  // namespace

const faults::Result& worst_of(const std::vector<faults::Result>& results) {
  return *std::max_element(results.begin(), results.end(), [](const auto& a, const auto& b) {
    return rank(a.verdict()) < rank(b.verdict());
  });
}

bool Cell::is_violated() const {
  return !results.empty() && worst().verdict() == Verdict::violated;
}

bool Cell::runs_agree() const {
  return std::all_of(results.begin(), results.end(), [&](const faults::Result& result) {
    return result.verdict() == results.front().verdict();
  });
}

std::string Cell::word() const {
  if (could_not_run) return "could not run";
  if (not_run.starts_with(faults::cannot_be_judged)) return std::string(faults::cannot_be_judged);
  if (!not_run.empty()) return not_run.starts_with("not promised") ? "not promised" : "–";
  if (results.empty()) return "not run";
  if (worst().shown().judgement.is_refusal() && runs_agree()) return "refused";
  return std::string(faults::to_string(worst().verdict())) + (runs_agree() ? "" : " (not always)");
}

Grid empty_grid(const std::vector<std::string>& names) {
  Grid grid;
  const auto wanted = names.empty() ? names_with_variants() : names;
  for (const auto& name : wanted) {
    try {
      grid.locks.push_back(lock_named(name));
    } catch (const faults::CannotRun& error) {
      if (!names.empty()) throw;
      const std::string why = error.what();
      grid.left_out.push_back(why.starts_with(name) ? why : name + ": " + why);
    }
  }
  for (const auto& lock : grid.locks) add_cells(grid, lock);
  return grid;
}

void fill_from_kept(Grid& grid, const std::filesystem::path& runs) {
  std::vector<std::filesystem::path> kept;
  std::error_code none;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(runs, none)) {
    const auto& file = entry.path();
    const bool is_run = file.filename() == faults::kept::run_file;
    if (is_run && !faults::broke_off(file.parent_path())) kept.push_back(file);
  }
  if (kept.empty()) throw faults::CannotRun(fmt::format("no run is kept in {}", runs.native()));
  std::sort(kept.begin(), kept.end());  // by time
  for (const auto& run : kept) {
    auto result = faults::judge_again(run.parent_path());
    const auto cell = std::find_if(grid.cells.begin(), grid.cells.end(), [&](const auto& each) {
      return each.lock == result.stage && each.scenario == result.scenario;
    });
    const bool is_wanted = cell != grid.cells.end() && cell->not_run.empty();
    if (is_wanted) cell->results.push_back(std::move(result));
  }
  for (auto& cell : grid.cells) prefer_default_lease(cell);
}

void drop_locks_without_runs(Grid& grid) {
  const auto has_runs = [&](const std::string& lock) {
    return std::any_of(grid.cells.begin(), grid.cells.end(), [&](const Cell& cell) {
      return cell.lock == lock && !cell.results.empty();
    });
  };
  std::erase_if(grid.locks, [&](const faults::TestedLock& lock) { return !has_runs(lock.name); });
  std::erase_if(grid.cells, [&](const Cell& cell) {
    return std::none_of(grid.locks.begin(), grid.locks.end(),
                        [&](const faults::TestedLock& lock) { return lock.name == cell.lock; });
  });
}

void fill(Grid& grid, const faults::RunPlan& plan, const Filling& filling, faults::Reaper& reaper,
          const std::function<void(const Cell&)>& done) {
  std::mutex mutex;
  const auto scenarios = faults::all_scenarios().size();
  faults::run_in_parallel(grid.cells.size(), filling.jobs, [&](std::size_t i) {
    auto& cell = grid.cells[i];
    const auto& lock = grid.locks[i / scenarios];
    if (!cell.not_run.empty() || (filling.wants && !filling.wants(lock))) return;
    run_times(cell, lock, plan, filling, reaper);
    const std::lock_guard guard(mutex);
    done(cell);
  });
}

}  // namespace field
