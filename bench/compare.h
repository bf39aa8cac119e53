// Two runs side by side: did something get slower, or is it noise?
//
// Thread-safety: pure functions.
#pragma once

#include <string>

#include "bench/results.h"
#include "bench/tables.h"

namespace bench {

// For each case that both have and each counter of its table: the medians of the repetitions, how
// far they spread, and the change. A change is marked with * where the two spreads have nothing in
// common. What only one run has is named below. Throws faults::CannotRun if they have no case in
// common.
[[nodiscard]] std::string comparison(const Results& before, const Results& now);

}  // namespace bench
