// One round of a soak in real time: a world of its own (faults/world), in which each client goes
// through its program a few times, and dice choose pauses and faults. A client that dies is
// replaced. At the end everybody is at rest, and a latecomer must get the lock.
//
// The dice of a round depend on the seed and its number; real time does what it does.
//
// Thread-safety: none; one thread.
#pragma once

#include <cstdint>

#include "faults/explore/world/controller.h"
#include "faults/judging/verdict.h"

namespace explore {

struct RoundPlan {
  std::uint64_t seed = 1;
  long number = 0;      // of the round, from 0
  unsigned faults = 0;  // the kinds that may happen
  int at_most = 3;      // faults in it
};

struct Round {
  faults::Record record;
  faults::Judgement judgement;
  long passes = 0;  // of clients through their program
  int faults = 0;   // that happened
};

// The kinds of faults that a round knows.
[[nodiscard]] unsigned real_time_faults();

// Throws CannotRun, ClientFailed.
[[nodiscard]] Round play_round(const WorldPlan& world, const RoundPlan& plan,
                               faults::Reaper& reaper);

}  // namespace explore
