// Runs one scenario on one stage, and keeps what is needed to look at it again.
//
// A run leaves a directory: `run.json` (what was chosen and how to start it again, written before
// anything runs), and one directory for each boundary with the history and the logs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "faults/judging/verdict.h"
#include "faults/parts/reaper.h"
#include "faults/parts/redis_binary.h"
#include "faults/scenario.h"
#include "faults/stage.h"

namespace faults {

// What says in a boundary's name ("release, after GET was answered, before DEL was sent") of which
// kind it is.
inline constexpr std::string_view before_it_was_applied = " was sent, before it was applied";
inline constexpr std::string_view between_two_commands = " was answered, before ";
inline constexpr std::string_view before_its_answer = " was applied, before its answer arrived";

// The story told once: at one boundary of a sweep, or whole.
struct Telling {
  std::string boundary;  // empty outside a sweep
  Judgement judgement;
  std::filesystem::path history;
  int reruns = 0;  // how often it was told again, because it had shown nothing
};

struct Result {
  std::string stage;
  std::string scenario;
  std::filesystem::path directory;
  std::vector<Telling> tellings;
  int commands = 0;   // of a sweep: how many commands the undisturbed operation sent
  std::string again;  // what starts it again, for people

  // violated if any telling is; else inconclusive, not_exercised, holds, in this order.
  [[nodiscard]] Verdict verdict() const;
  // The telling that shows the verdict: of those that have it the first between two commands, where
  // the client itself stands still; else the first.
  [[nodiscard]] const Telling& shown() const;
  // Every property broken in any telling, each once, in the order of their findings.
  [[nodiscard]] std::vector<Property> broken() const;
  // The boundaries of the tellings that are violated.
  [[nodiscard]] std::vector<std::string> broken_at() const;
};

struct RunPlan {
  RedisBinary redis;
  std::filesystem::path runs;      // where run directories go
  std::string redis_version = {};  // for who looks at the run later; empty: nobody has asked it
  // Of a lock on several servers: sweep over every one of them, and not over one in each role.
  bool every_node = false;
  std::string again = {};  // what starts it again, if that is not ./lab run STAGE SCENARIO
};

// Throws CannotRun. May be called from several threads at once.
[[nodiscard]] Result run(const Stage& stage, const Scenario& scenario, const RunPlan& plan,
                         Reaper& reaper);

// Makes a directory for a run in `runs`, named after the time and `name`, that was not there
// before: two runs in one second get two. Throws CannotRun.
[[nodiscard]] std::filesystem::path make_run_directory(const std::filesystem::path& runs,
                                                       std::string name);

// Judges a recorded run again. One that broke off has shown nothing. Throws CannotRun if
// `directory` is not one.
[[nodiscard]] Result judge_again(const std::filesystem::path& directory);

// How `result` differs from what `stage` declares, in one sentence; empty if it does not.
[[nodiscard]] std::string difference_from_declared(const Stage& stage, const Result& result);

}  // namespace faults
