// Every command needs this: how far the learner is, and the exercise that is open.
//
// Thread-safety: none; one thread uses it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tools/learning/learn.h"
#include "tools/learning/progress.h"
#include "tools/learning/workspace/exercise.h"
#include "tools/learning/workspace/workspace.h"

namespace learning {

class LearnerSession {
 public:
  // Reads the learner's progress. Throws CannotRun.
  explicit LearnerSession(const Options& options);

  // The exercise one is at, whatever is begun meanwhile in another terminal. Throws CannotRun if
  // none was begun.
  [[nodiscard]] const Exercise& here() const;
  [[nodiscard]] bool has_begun() const { return !at_.empty(); }
  [[nodiscard]] Workspace copy(const Exercise& exercise) const;
  [[nodiscard]] const std::vector<Exercise>& exercises() const { return exercises_; }

  // The part that one is at, and its number from 0.
  [[nodiscard]] const ExercisePart& part() const;
  [[nodiscard]] std::size_t part_number() const;

  [[nodiscard]] std::string state_of(const Exercise& exercise) const;
  [[nodiscard]] Attempt attempt_at(const Exercise& exercise) const;
  // The attempt at the exercise one is at, so far.
  [[nodiscard]] Attempt attempt() const;
  // The first of the story that is not solved, from where one is, and then from the beginning;
  // null: there is none.
  [[nodiscard]] const Exercise* next() const;

  // Changes what came of the exercise one is at, or all of it, as it stands by now: what another
  // terminal has written since it was read stays. Throws CannotRun.
  void change_attempt(const std::function<void(Attempt&)>& how);
  void change(const std::function<void(Progress&)>& how);
  // The same, and one is at `exercise` from now on.
  void go_to(const Exercise& exercise, const std::function<void(Progress&)>& how);

 private:
  const std::filesystem::path directory_;
  const std::string how_to_begin_;
  const std::vector<Exercise> exercises_;
  Progress progress_;
  std::string at_;
};

// "exercise 3: One command, and whose lock it is (part 2 of 3: Whose lock it is)".
[[nodiscard]] std::string headline(const Options& options, const LearnerSession& session);

// "open:  learn/exercise4/lock.cpp  learn/exercise4/release.lua (to be made)", and a line break.
[[nodiscard]] std::string files_to_open(const Options& options, const LearnerSession& session);

// Where exercises 5 to 8 are for other languages than C++.
[[nodiscard]] std::string where_challenges_are(const Options& options);

// The one line of what one can do now; and when the last exercise of the story is solved.
[[nodiscard]] std::string what_one_can_do(const Options& options);
[[nodiscard]] std::string after_the_last(const Options& options, const LearnerSession& session);

}  // namespace learning
