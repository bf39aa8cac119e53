// An order of events that breaks a learner's lock, and that no scenario shows.
//
// Thread-safety: none; one thread.
#pragma once

#include <optional>
#include <string>

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
  bool is_complete = true;  // false: there are more than it was to run
  // Why it says nothing of the lock: it ran fewer orders than it was to run. Empty: it did not.
  std::string trouble = {};
};

// Searches every order of two clients' events with at most one fault, or two of a kind, one kind
// after the other, at most so many `orders` in all; clients that come once, that enter twice, and
// that come again. Of what breaks only that counts which the same search does not break in our
// lock. Takes seconds. Throws CannotRun.
[[nodiscard]] Searched find_counter_example(const Exercise& exercise,
                                            const faults::TestedLock& lock,
                                            const faults::RunPlan& plan, long orders,
                                            faults::Reaper& reaper);

}  // namespace learning
