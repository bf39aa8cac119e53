#include "faults/explore/atlas/search_locks.h"

#include <algorithm>
#include <stdexcept>

#include "faults/explore/atlas/locks.h"
#include "faults/explore/search/option_names.h"
#include "faults/explore/search/search_report.h"

namespace atlas {
namespace {

constexpr std::chrono::minutes long_enough{60};  // the number of orders bounds a search

char letter_of(faults::Property property) {
  for (const auto& promise : promises()) {
    if (promise.name == faults::to_string(property)) return promise.letter;
  }
  throw std::logic_error("a search judges a promise for which the atlas has no letter");
}

Cell cell_of(const explore::SearchResult& result) {
  Cell cell{.orders = result.orders(), .is_exhausted = result.is_exhausted()};
  for (const auto& one : result.found) cell.broken.insert(letter_of(one.finding.property));
  return cell;
}

}  // namespace

const std::vector<explore::SurvivalRow>& kinds_of_fault() {
  static const std::vector<explore::SurvivalRow> kinds = [] {
    auto rows = explore::survival_rows();
    std::erase_if(rows, [](const auto& row) { return row.operations != "once"; });
    for (auto& row : rows) row.judged.clear();  // all of them
    return rows;
  }();
  return kinds;
}

Finding search_lock(const Parts& parts, const faults::RedisBinary& redis, const Effort& effort,
                    faults::Reaper& reaper) {
  const auto lock = tested_lock_of(parts);
  Finding finding{.parts = parts};
  for (const auto& kind : kinds_of_fault()) {
    const auto cell = search_under(kind, lock, redis, effort, reaper);
    finding.under[kind.name] = cell;
    if (kind.faults.empty() && !cell.broken.empty()) break;
  }
  return finding;
}

Cell search_under(const explore::SurvivalRow& kind, const faults::TestedLock& lock,
                  const faults::RedisBinary& redis, const Effort& effort, faults::Reaper& reaper) {
  const explore::WorldPlan world{
      .stage = lock, .redis = redis, .judged = explore::properties_from(kind.judged)};
  auto plan = kind.plan(lock.nodes);
  plan.budget = long_enough;
  plan.most_orders = effort.most_orders;
  plan.workers = effort.workers;
  for (const bool merges : {true, false}) {
    plan.merges = merges;
    try {
      return cell_of(explore::search(world, plan, reaper));
    } catch (const explore::Diverged&) {  // then it is searched without merging, or not known
    }
  }
  return {.is_exhausted = false};
}

}  // namespace atlas
