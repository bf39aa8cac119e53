// What the program can do, one function for each command; each returns the exit code.
//
// All throw CannotRun for what keeps them from running; `main` makes that exit code 2.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "faults/kit/reaper.h"
#include "learning/guess.h"
#include "table/options.h"

namespace app {

// The guided tour. 0 if everything went as told.
[[nodiscard]] int tour(const table::Options& options, const learning::Predictor& predictor,
                       faults::Reaper& reaper);

// One stage against scenarios (all, if none is named).
[[nodiscard]] int run(const table::Options& options, const std::string& stage,
                      const std::vector<std::string>& scenarios, faults::Reaper& reaper);

struct TableOptions {
  bool markdown = false;
  int jobs = 0;  // how many cells at once; 0: chosen
};
// Every stage against every scenario. 0 only if all is as declared.
[[nodiscard]] int table(const table::Options& options, const TableOptions& table,
                        faults::Reaper& reaper);

// The difference between two stages' locks.
[[nodiscard]] int diff(const table::Options& options, const std::string& from,
                       const std::string& to);

[[nodiscard]] int list(const table::Options& options);

// Becomes the benchmark program (bench/main.cpp), with these arguments.
[[nodiscard]] int bench(const table::Options& options, const std::vector<std::string>& arguments);

// Judges a recorded run again.
[[nodiscard]] int judge(const table::Options& options, const std::filesystem::path& run_directory);

// For maintainers: runs the whole table, keeps the history of each scenario that is shown beside
// its stage, and rewrites what is made from them: the golden files, the timelines, the README's
// table. With `keep`, runs nothing, and rewrites all but the table from the histories that are
// there.
[[nodiscard]] int record(const table::Options& options, bool keep, faults::Reaper& reaper);

}  // namespace app
