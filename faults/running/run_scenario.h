// Runs one scenario on one stage, and keeps what is needed to look at it again.
//
// A run leaves a directory: `run.json` (what was chosen and how to start it again, written before
// anything runs), and one directory for each boundary with the history and the logs.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "faults/kit/client.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_binary.h"
#include "faults/running/result.h"
#include "faults/scenarios/scenario.h"
#include "faults/world/tested_lock.h"

namespace faults {

struct RunPlan {
  RedisBinary redis;
  std::filesystem::path runs;      // where run directories go
  std::string redis_version = {};  // for people who look at the run later; empty: not known
  // Sweep over every server of a lock on several, and not over one in each role.
  bool every_node = false;
  std::string again = {};  // what starts it again, if that is not ./lab run STAGE SCENARIO
  Say say = {};            // called from several threads at once; may be empty
  // Time stands still while any process has something to do (faults/explore/virtual_time/keeper.h):
  // so no machine is too slow for a run, and nothing is gained by running executions side by side.
  bool time_waits = false;
  StartedAs started_as = {};  // may be empty
};

// Throws CannotRun. May be called from several threads at once.
[[nodiscard]] Result run_scenario(const TestedLock& lock, const Scenario& scenario,
                                  const RunPlan& plan, Reaper& reaper);

// Runs a scenario, or replaces the run. Called from several threads at the same time.
using RunScenario =
    std::function<Result(const TestedLock&, const Scenario&, const RunPlan&, Reaper&)>;

// Makes a directory for a run in `runs`, named after the time and `name`, that was not there
// before: two runs in one second get two. Throws CannotRun.
[[nodiscard]] std::filesystem::path make_run_directory(const std::filesystem::path& runs,
                                                       std::string name);

}  // namespace faults
