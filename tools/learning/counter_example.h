// An order of events that breaks a learner's lock, and that no scenario shows.
//
// Thread-safety: none; one thread.
#pragma once

#include <chrono>
#include <optional>

#include "faults/kit/reaper.h"
#include "faults/running/run_scenario.h"
#include "tools/learning/trial.h"
#include "tools/learning/workspace/exercise.h"

namespace learning {

struct Searched {
  std::optional<Trial> found = {};
  // How many orders were run. None, and complete: the lock needs several servers, or ours is not
  // built.
  long orders = 0;
  bool is_complete = true;  // false: the time was over before
};

// Searches every order of two clients' events with at most one fault, one kind of fault after the
// other, for at most `budget`; clients that come once, that enter twice, and that come again. Of
// what breaks only that counts which the same search does not break in our lock. Takes seconds.
// Throws CannotRun; ClientFailed if the lock crashes or hangs.
[[nodiscard]] Searched find_counter_example(const Exercise& exercise,
                                            const faults::TestedLock& lock,
                                            const faults::RunPlan& plan,
                                            std::chrono::milliseconds budget,
                                            faults::Reaper& reaper);

}  // namespace learning
