// Runs cases under Google Benchmark (https://github.com/google/benchmark), which interleaves their
// repetitions in random order, and computes the statistics.
//
// Thread-safety: none; once in a process.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/bench/cases/case.h"

namespace bench {

// Called before each repetition: which case, how many repetitions are done, out of how many.
using OnRepetition = std::function<void(const std::string& name, int done, int all)>;

// Google Benchmark's own JSON, with a description of the machine in its context. Rethrows the error
// of the first case that failed; the others are not measured then.
[[nodiscard]] nlohmann::json run_cases(const std::vector<Case>& cases, const Kit& kit,
                                       const Scale& scale, const OnRepetition& on_repetition);

// What to say before measuring on a machine of so many CPUs that has so many at work already: empty
// if there is one free for a client, and one for its server.
[[nodiscard]] std::string warning_of_load(double load, unsigned cpus);

}  // namespace bench
