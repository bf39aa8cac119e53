// One check of a working copy: what was built, what was tried, what there is to say.
#pragma once

#include <functional>
#include <vector>

#include "faults/kit/reaper.h"
#include "learning/copies/build.h"
#include "learning/desk.h"
#include "learning/trial.h"

namespace learning {

struct Checked {
  Built built;
  std::vector<Trial> trials;  // the story first; then the old promises, if it was looked at them
  std::size_t promises = 0;   // how many there are, the story among them

  // What does not hold: the story, or else of the others the one that the most specific rule
  // explains, or else the first; one that shows nothing only if there is no other. Null: all hold.
  [[nodiscard]] const Trial* red() const;
  // Did the machine not keep up, and is nothing else red? Then it says nothing of the lock.
  [[nodiscard]] bool shows_nothing() const { return red() != nullptr && red()->shows_nothing(); }
  // The first with a remark, if all hold; null otherwise.
  [[nodiscard]] const Trial* remarked() const;
  [[nodiscard]] bool is_green() const;
};

// Builds and tries, and says on standard error what goes on. `before_the_story` is called when the
// lock is built, and its story about to be told. Throws CannotRun.
[[nodiscard]] Checked check_copy(const Options& options, const Desk& desk, faults::Reaper& reaper,
                                 const std::function<void()>& before_the_story);

// Shows it to a person.
void show(const Options& options, const Desk& desk, const Checked& checked);
// Keeps what matters in the learner's progress; nothing of a check that shows nothing. Throws
// CannotRun.
void keep(Desk& desk, const Checked& checked);
// 0 green, 1 red, 3 it shows nothing.
[[nodiscard]] int exit_code(const Checked& checked);

}  // namespace learning
