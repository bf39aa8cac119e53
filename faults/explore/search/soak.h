// Dice: many clients, and faults at random, run after run, in virtual time.
//
// Everything depends on the seed: run number n of a seed is the same whenever it is made. What it
// finds is made shorter by leaving out steps, and is replayed twice before it is reported.
//
// Thread-safety: none; one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "faults/explore/search/search.h"

namespace explore {

struct SoakPlan {
  std::uint64_t seed = 1;
  unsigned faults = 0;  // the kinds that may happen
  int at_most = 3;      // faults in one run
  std::chrono::milliseconds budget{30'000};
  long runs = 0;  // 0: as many as the budget allows
};

struct SoakResult {
  long runs = 0;
  long steps = 0;
  std::chrono::duration<double> time{0};
  std::optional<CounterExample> found;  // in the last of the runs, made shorter
  std::size_t steps_before = 0;         // of the run in which it was found
};

using SoakProgress = std::function<void(const SoakResult&)>;

// Ends with the first run that breaks a property. Throws Diverged, CannotRun, ClientFailed.
[[nodiscard]] SoakResult soak(const WorldPlan& world, const SoakPlan& plan, faults::Reaper& reaper,
                              const SoakProgress& progress = {});

// "seed 7; 3 clients; …", and the server's program.
[[nodiscard]] std::string describe_dice(const WorldPlan& world, const SoakPlan& plan);

}  // namespace explore
