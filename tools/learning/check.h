// One check of a workspace: what was built, what was tried, what there is to say.
#pragma once

#include <functional>
#include <vector>

#include "faults/kit/reaper.h"
#include "tools/learning/counter_example.h"
#include "tools/learning/learner_session.h"
#include "tools/learning/trial.h"
#include "tools/learning/workspace/build.h"

namespace learning {

struct CheckReport {
  Built built;
  std::vector<Trial> trials;  // its parts' scenarios first; then the others, if they were run
  std::size_t promises = 0;   // how many there are in all
  std::size_t part = 0;       // the part that was worked on
  std::size_t solved = 0;     // how many parts hold now, from the first on

  // The trial that does not hold: the first, or rather the first in which a mistake was seen; one
  // that shows nothing only if there is no other. Of a part that is yet to come nothing counts.
  // Null: all hold.
  [[nodiscard]] const Trial* red() const;
  // Did the machine not keep up, or the search run too little, and is nothing else red? Then it
  // says nothing of the lock.
  [[nodiscard]] bool shows_nothing() const {
    if (red() != nullptr) return red()->shows_nothing();
    return remarked() == nullptr && !searched.trouble.empty();
  }
  // The first with a mistake, if all hold; null otherwise.
  [[nodiscard]] const Trial* remarked() const;
  // Does the part hold that was worked on, and are others yet to come?
  [[nodiscard]] bool goes_on() const { return built.succeeded() && yet_to_come; }
  // Does the exercise hold, or all of it that was asked for?
  [[nodiscard]] bool is_green() const;

  Searched searched;  // once all hold
  bool yet_to_come = false;
};

// Builds and tries, and says on standard error what goes on. `before_the_story` is called when the
// lock is built, and its first scenario about to run. Throws CannotRun.
[[nodiscard]] CheckReport check_copy(const Options& options, const LearnerSession& session,
                                     faults::Reaper& reaper,
                                     const std::function<void()>& before_the_story);

// Shows it to a person.
void show(const Options& options, const LearnerSession& session, const CheckReport& checked);
// Keeps what matters in the learner's progress; nothing of a check that shows nothing. Throws
// CannotRun.
void keep(LearnerSession& session, const CheckReport& checked);
// 0 green, 1 red, 3 it shows nothing.
[[nodiscard]] int exit_code(const CheckReport& checked);

}  // namespace learning
