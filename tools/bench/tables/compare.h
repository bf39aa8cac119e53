// Two runs, or two stages of one run, side by side: is one slower, or is it noise?
//
// A `language` is that of the cells. Thread-safety: pure functions.
#pragma once

#include <string>

#include "tools/bench/results/benchmark_results.h"
#include "tools/bench/tables/tables.h"
#include "tools/terminal/language.h"

namespace bench {

// For each case that both runs have and each counter of its table: the medians of the repetitions,
// their spreads, and the change, marked with * if the two spreads do not overlap. Cases of only one
// run are named below. Throws faults::CannotRun if the runs have no case in common.
[[nodiscard]] std::string comparison(const BenchmarkResults& before, const BenchmarkResults& now,
                                     const terminal::Language& language = {});

// The stages `one` and `other` in the cases that both have: as above, and where their spreads
// overlap no winner is named. Throws faults::CannotRun if there is no such case.
[[nodiscard]] std::string comparison(const BenchmarkResults& run, int one, int other,
                                     Layout layout = Layout::text,
                                     const terminal::Language& language = {});

}  // namespace bench
