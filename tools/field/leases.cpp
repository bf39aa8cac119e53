#include "tools/field/leases.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tools/field/page_words.h"

namespace field {
namespace {

using faults::Verdict;

bool is_decided(const faults::Result& result) {
  return result.verdict() == Verdict::holds || result.verdict() == Verdict::violated;
}

bool stands_on_default_lease(const Cell& cell) {
  return std::any_of(cell.results.begin(), cell.results.end(),
                     [](const auto& result) { return result.at_default_lease; });
}

const faults::TestedLock& lock_of(const Grid& grid, const Cell& cell) {
  return *std::find_if(grid.locks.begin(), grid.locks.end(),
                       [&](const auto& lock) { return lock.name == cell.lock; });
}

}  // namespace

void prefer_default_lease(Cell& cell) {
  auto& runs = cell.results;
  const auto others = std::stable_partition(runs.begin(), runs.end(),
                                            [](const auto& run) { return run.at_default_lease; });
  if (others == runs.begin() || others == runs.end()) return;
  if (std::none_of(runs.begin(), others, is_decided)) {
    runs.erase(runs.begin(), others);
    return;
  }
  cell.shortened.assign(std::make_move_iterator(others), std::make_move_iterator(runs.end()));
  runs.erase(others, runs.end());
}

std::string say_shortened(const Cell& cell) {
  if (cell.shortened.empty()) return {};
  const auto& shortened = worst_of(cell.shortened);
  const bool says_otherwise = shortened.verdict() != cell.worst().verdict();
  if (!is_decided(shortened) || !says_otherwise) return {};
  if (shortened.verdict() == Verdict::holds) return worded("/states/held/name");
  return shortened.shown().judgement.sentence();
}

std::string say_leases(const Grid& grid) {
  int ran = 0;
  int by_default = 0;
  int beside_redis = 0;
  int without_default = 0;
  for (const auto& cell : grid.cells) {
    if (cell.results.empty()) continue;
    ++ran;
    const auto& lock = lock_of(grid, cell);
    if (stands_on_default_lease(cell)) {
      ++by_default;
    } else if (!lock.stands_on_redis()) {
      ++beside_redis;
    } else if (!faults::with_default_lease(lock).at_default_lease) {
      ++without_default;
    }
  }
  return fmt::format(
      "{} of {} cells stand on the lease that a user gets who names none. The others stand on "
      "shortened leases: {} on another server than Redis, {} of locks without a default lease, and "
      "{} judged in real time only.",
      by_default, ran, beside_redis, without_default,
      ran - by_default - beside_redis - without_default);
}

}  // namespace field
