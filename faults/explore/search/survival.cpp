#include "faults/explore/search/survival.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "faults/explore/search/option_names.h"
#include "faults/explore/search/search_report.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

const std::string exclusion = "mutual exclusion";
const std::string budget_spent = "budget spent";

std::string name_of(SearchOutcome outcome) {
  switch (outcome) {
    case SearchOutcome::none:
    case SearchOutcome::covered_by_others: return "holds";
    case SearchOutcome::violated: return "violated";
    case SearchOutcome::budget_spent: break;
  }
  return budget_spent;
}

// The narrower of two bounds; empty is none.
std::string narrower(const std::string& a, const std::string& b) {
  return a.empty() ? b : a;
}

SurvivalRow pair_of(const SurvivalRow& a, const SurvivalRow& b) {
  return {.name = a.name + " + " + b.name,
          .faults = a.faults + "," + b.faults,
          .during = narrower(a.during, b.during),
          .judged = narrower(a.judged, b.judged),
          .of = {a.name, b.name}};
}

SurvivalCell cell_of(const SurvivalRow& row, const faults::TestedLock& lock,
                     const SearchResult& result) {
  SurvivalCell cell{.row = row.name,
                    .lock = lock.name,
                    .ending = name_of(outcome_of(result)),
                    .orders = result.orders()};
  const auto& last = result.levels.back();
  if (row.is_pair() && last.exhausted && last.orders == 0) cell.ending = "never both";
  if (result.found.empty()) return cell;
  const auto& example = result.found.front();
  cell.property = faults::to_string(example.finding.property);
  cell.steps = example.steps;
  cell.order = example.labels();
  return cell;
}

}  // namespace

std::string SurvivalRow::title() const {
  return judged.empty() ? name : fmt::format("{}: {}", name, judged);
}

const std::vector<SurvivalRow>& survival_rows() {
  static const std::vector<SurvivalRow> rows{
      {.name = "orders alone"},
      {.name = "nested", .operations = "nested"},
      {.name = "kill", .faults = "kill"},
      {.name = "lost answer", .faults = "lose"},
      {.name = "slow work", .faults = "slow", .switches = 2},
      {.name = "cut off", .faults = "cut"},
      {.name = "freeze in release",
       .faults = "freeze",
       .during = "release",
       .judged = "owner-only release"},
      {.name = "freeze in work", .faults = "freeze", .during = "work", .judged = exclusion},
      {.name = "fail-over", .faults = "failover", .judged = exclusion},
      {.name = "amnesia", .faults = "amnesia", .judged = exclusion},
      {.name = "clock", .faults = "clock", .judged = exclusion}};
  return rows;
}

const std::vector<SurvivalRow>& survival_pairs() {
  static const std::vector<SurvivalRow> pairs = [] {
    std::vector<SurvivalRow> singles = survival_rows();
    // Not those without a fault; and only the freeze that breaks most.
    std::erase_if(singles, [](const SurvivalRow& row) {
      return row.faults.empty() || row.during == "release";
    });
    std::vector<SurvivalRow> all;
    for (auto a = singles.begin(); a != singles.end(); ++a) {
      for (auto b = a + 1; b != singles.end(); ++b) all.push_back(pair_of(*a, *b));
    }
    return all;
  }();
  return pairs;
}

// Pairs have narrower bounds: running all their orders would take too long.
SearchPlan SurvivalRow::plan(int servers) const {
  SearchPlan plan{.faults = faults_from(faults), .during = operations_from(during)};
  if (servers > 1) plan.switches = switches;
  if (!is_pair()) return plan;
  plan.at_most = 2;
  plan.once_each = true;
  if (servers == 1) plan.switches = 2;
  if (servers > 1) plan.during = {"work"};
  return plan;
}

const SurvivalCell* find_cell(const std::vector<SurvivalCell>& cells, const std::string& row,
                              const std::string& lock) {
  const auto found = std::find_if(cells.begin(), cells.end(), [&](const auto& cell) {
    return cell.row == row && cell.lock == lock;
  });
  return found == cells.end() ? nullptr : &*found;
}

std::vector<std::string> broken_alone(const std::vector<SurvivalCell>& cells,
                                      const SurvivalRow& pair, const std::string& lock) {
  std::vector<std::string> broken;
  for (const auto& row : pair.of) {
    const auto* cell = find_cell(cells, row, lock);
    if (cell != nullptr && cell->ending == "violated") broken.push_back(row);
  }
  return broken;
}

SurvivalCell examine(const SurvivalRow& row, const faults::TestedLock& lock,
                     const faults::RedisBinary& redis, const SearchEffort& effort,
                     faults::Reaper& reaper) {
  WorldPlan world{.stage = lock,
                  .redis = redis,
                  .lease = lock.pace().lease,
                  .program = program_named(row.operations),
                  .judged = properties_from(row.judged)};
  auto plan = row.plan(lock.nodes);
  plan.budget = effort.budget;
  plan.workers = effort.workers;
  plan.sampled = effort.sampled;
  try {
    return cell_of(row, lock, search_with_new_processes_if_need_be(world, [&] {
                     return search(world, plan, reaper);
                   }));
  } catch (const Diverged&) {
    return {.row = row.name, .lock = lock.name, .ending = "diverged"};
  }
}

Comparison compare(const std::vector<SurvivalCell>& declared, const SurvivalCell& found) {
  const auto* same = find_cell(declared, found.row, found.lock);
  if (same == nullptr || *same == found) return Comparison::agrees;
  const bool is_broken = found.ending == "violated" || found.ending == "diverged";
  if (same->ending == budget_spent && !is_broken) return Comparison::agrees;
  return found.ending == budget_spent ? Comparison::budget_spent : Comparison::differs;
}

std::vector<SurvivalCell> read_survival(const std::filesystem::path& file) {
  std::ifstream input(file);
  if (!input) throw faults::CannotRun(fmt::format("cannot read {}", file.native()));
  return nlohmann::json::parse(input).get<std::vector<SurvivalCell>>();
}

std::string to_text(const std::vector<SurvivalCell>& cells) {
  return nlohmann::json(cells).dump(1) + "\n";
}

}  // namespace explore
