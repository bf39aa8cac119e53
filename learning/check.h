// One check of a working copy: what was built, what was tried, what there is to say.
#pragma once

#include <functional>
#include <vector>

#include "faults/parts/reaper.h"
#include "learning/build.h"
#include "learning/desk.h"
#include "learning/trial.h"

namespace learning {

struct Checked {
  Built built;
  std::vector<Trial> trials;  // the story first; then the old promises, if it was looked at them
  std::size_t promises = 0;   // how many there are, the story among them

  // What does not hold: the story, or else of the others the one that the most specific rule
  // explains, or else the first; null: all hold.
  [[nodiscard]] const Trial* red() const;
  // The first with a remark, if all hold; null otherwise.
  [[nodiscard]] const Trial* remarked() const;
  [[nodiscard]] bool is_green() const;
};

// Builds and tries, and says on standard error what goes on. `before_the_story` is called when the
// lock is built, and its story about to be told. Throws CannotRun.
[[nodiscard]] Checked check_copy(const Options& options, const Desk& desk, faults::Reaper& reaper,
                                 const std::function<void()>& before_the_story);

// Shows it to a person, and keeps what matters in the learner's progress.
void show(const Options& options, Desk& desk, const Checked& checked);
void keep(Desk& desk, const Checked& checked);

}  // namespace learning
