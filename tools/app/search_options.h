// The options that explore and soak share, in the same words.
//
// Thread-safety: none; one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "faults/explore/world/controller.h"
#include "faults/world/tested_lock.h"

namespace app {

struct SearchOptions {
  std::string lock;
  int nodes = 0;  // 0: as many as the lock has by default
  int clients = 2;
  std::string operations = "once";
  std::string faults;
  int at_most = 1;  // faults in one run
  std::string judged;
  std::chrono::milliseconds budget{0};

  // The world that they ask for. Throws CannotRun for an unknown word.
  [[nodiscard]] explore::WorldPlan world(const faults::TestedLock& stage,
                                         const faults::RedisBinary& redis) const;
};

// The largest numbers that a command takes.
struct SearchLimits {
  int clients = 0;
  int faults = 0;
};

// Adds --clients, --operations, --faults, --at-most and --judge, with the values of `chosen` as
// defaults; returns them. `chosen` must live as long as `line`.
std::vector<CLI::Option*> add_search_options(CLI::App& line, SearchOptions& chosen,
                                             const SearchLimits& limits);

// Adds an option that takes "90s", "0.5s", "5min" or "1h", with the value of `time` as default;
// "90" are seconds. `time` must live as long as `line`.
CLI::Option* add_duration_option(CLI::App& line, const std::string& name,
                                 std::chrono::milliseconds& time, const std::string& meaning);

}  // namespace app
