// Runs cases under Google Benchmark (https://github.com/google/benchmark), which repeats them in an
// order of its own choice, each repetition among those of the others, and counts the statistics.
//
// Thread-safety: none; once in a process.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/case.h"

namespace bench {

// Told before each repetition: which case, how many repetitions are done, out of how many.
using Told = std::function<void(const std::string& name, int done, int all)>;

// What Google Benchmark's own JSON says, with a description of the machine in its context. Throws
// what the first case threw that failed; the others are not measured then.
[[nodiscard]] nlohmann::json run_cases(const std::vector<Case>& cases, const Kit& kit,
                                       const Scale& scale, const Told& told);

}  // namespace bench
