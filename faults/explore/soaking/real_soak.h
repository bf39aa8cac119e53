// A soak in real time: round after round (round.h), each judged as one history, until a property
// breaks or the time is over. So memory stays bounded, however long it lasts.
//
// A finding is tried in virtual time, too: the steps that led there (history_steps.h), made
// shorter and replayed twice, as everything that a search finds.
//
// Thread-safety: none; one thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "faults/explore/search/soak.h"
#include "faults/explore/soaking/round.h"

namespace explore {

struct RealFinding {
  Round round;                            // in which it was found
  std::optional<CounterExample> example;  // in virtual time; none: it is not seen there
  WorldPlan world;                        // of `example`
  std::string why_not;                    // if there is none
};

struct RealSoakResult {
  long rounds = 0;
  long passes = 0;
  long faults = 0;
  long shown_nothing = 0;   // rounds that could not be judged: mostly the machine stood still
  std::string why_nothing;  // of the last of those
  std::chrono::duration<double> time{0};
  std::optional<RealFinding> found;  // in the last round
};

using RealSoakProgress = std::function<void(const RealSoakResult&)>;

// `plan.runs` is a number of rounds; 0: as many as the time allows. Throws CannotRun, ClientFailed.
[[nodiscard]] RealSoakResult soak_in_real_time(const WorldPlan& world, const SoakPlan& plan,
                                               faults::Reaper& reaper,
                                               const RealSoakProgress& progress = {});

// Keeps what was found in a new directory below `runs`: the history in real time, and, if there is
// one, the schedule and its history; returns it. Throws CannotRun, CannotWrite.
[[nodiscard]] std::filesystem::path keep(const RealFinding& found, const std::string& again,
                                         const std::filesystem::path& runs);

}  // namespace explore
