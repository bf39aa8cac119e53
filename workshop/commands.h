// What the program can do, one function for each command; each returns the exit code.
//
// All throw CannotRun for what keeps them from running; `main` makes that exit code 2.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "faults/judging/timeline.h"
#include "faults/kit/reaper.h"
#include "faults/run.h"
#include "faults/scenario.h"
#include "faults/stage.h"

namespace workshop {

struct Options {
  faults::Paint paint;
  bool json = false;
  std::filesystem::path runs;  // where run directories go
};

// Exit codes of a verdict.
inline constexpr int exit_holds = 0;
inline constexpr int exit_violated = 1;
inline constexpr int exit_cannot_run = 2;
inline constexpr int exit_not_shown = 3;  // not exercised, or inconclusive

// Asks what will happen, before a run; what it returns is told what came. Each may do nothing.
using Told = std::function<void(const faults::Result& result)>;
using Guess = std::function<Told(const faults::Stage& stage, const faults::Scenario& scenario)>;

// The guided tour. 0 if everything went as told.
[[nodiscard]] int tour(const Options& options, const Guess& guess, faults::Reaper& reaper);

// One stage against scenarios (all, if none is named).
[[nodiscard]] int run(const Options& options, const std::string& stage,
                      const std::vector<std::string>& scenarios, faults::Reaper& reaper);

struct TableOptions {
  bool markdown = false;
  int jobs = 0;  // how many cells at once; 0: chosen
};
// Every stage against every scenario. 0 only if all is as declared.
[[nodiscard]] int table(const Options& options, const TableOptions& table, faults::Reaper& reaper);

// The difference between two stages' locks.
[[nodiscard]] int diff(const Options& options, const std::string& from, const std::string& to);

[[nodiscard]] int list(const Options& options);

// Becomes the benchmark program (bench/main.cpp), with these arguments.
[[nodiscard]] int bench(const Options& options, const std::vector<std::string>& arguments);

// Judges a recorded run again.
[[nodiscard]] int judge(const Options& options, const std::filesystem::path& run_directory);

// For maintainers: runs the whole table, keeps the history of each scenario that is shown beside
// its stage, and rewrites what is made from them: the golden files, the timelines, the README's
// table. With `keep`, runs nothing, and rewrites all but the table from the histories that are
// there.
[[nodiscard]] int record(const Options& options, bool keep, faults::Reaper& reaper);

}  // namespace workshop
