#include "tools/learning/learner_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "faults/kit/errors.h"

namespace learning {

LearnerSession::LearnerSession(const Options& options)
    : directory_(options.directory),
      how_to_begin_(options.command("start 1")),
      exercises_(all_exercises()),
      progress_(read_progress(directory_)),
      at_(progress_.at) {}

const Exercise& LearnerSession::here() const {
  const auto found = std::find_if(exercises_.begin(), exercises_.end(),
                                  [&](const Exercise& exercise) { return exercise.name == at_; });
  if (found != exercises_.end()) return *found;
  throw faults::CannotRun("no exercise was begun; begin with " + how_to_begin_);
}

Workspace LearnerSession::copy(const Exercise& exercise) const {
  return {exercise, directory_};
}

std::size_t LearnerSession::part_number() const {
  return std::min(attempt().part, here().parts.size() - 1);
}

const ExercisePart& LearnerSession::part() const {
  return here().parts[part_number()];
}

Attempt LearnerSession::attempt_at(const Exercise& exercise) const {
  const auto found = progress_.attempts.find(exercise.name);
  return found == progress_.attempts.end() ? Attempt{.state = ""} : found->second;
}

// An exercise that was solved stays solved.
std::string LearnerSession::state_of(const Exercise& exercise) const {
  const auto attempt = attempt_at(exercise);
  return attempt.solved ? "green" : attempt.state;
}

const Exercise* LearnerSession::next() const {
  const auto begin = exercises_.begin();
  const auto end = exercises_.end();
  const auto at =
      std::find_if(begin, end, [&](const Exercise& exercise) { return exercise.name == at_; });
  const bool in_python = at != end && at->is_python();
  const auto is_open = [&](const Exercise& exercise) {
    const bool is_of_these = in_python ? exercise.is_python() : exercise.is_main();
    return is_of_these && state_of(exercise) != "green";
  };
  if (const auto later = std::find_if(at, end, is_open); later != end) return &*later;
  const auto left_out = std::find_if(begin, at, is_open);
  return left_out == at ? nullptr : &*left_out;
}

Attempt LearnerSession::attempt() const {
  const auto found = progress_.attempts.find(at_);
  return found == progress_.attempts.end() ? Attempt{} : found->second;
}

void LearnerSession::change_attempt(const std::function<void(Attempt&)>& how) {
  change([&](Progress& progress) { how(progress.attempts[at_]); });
}

void LearnerSession::change(const std::function<void(Progress&)>& how) {
  change_progress(directory_, [&](Progress& progress) {
    how(progress);
    progress_ = progress;
  });
}

void LearnerSession::go_to(const Exercise& exercise, const std::function<void(Progress&)>& how) {
  change([&](Progress& progress) {
    progress.at = exercise.name;
    how(progress);
  });
  at_ = exercise.name;
}

std::string files_to_open(const Options& options, const LearnerSession& session) {
  const auto& language = options.common.language;
  const auto& exercise = session.here();
  const auto copy = session.copy(exercise);
  std::string text = language("open:");
  for (const auto& file : exercise.open) {
    const bool is_new = copy.exists() && !copy.has(file);
    text += "  " + copy.shown(file) + (is_new ? language(" (to be made)") : "");
  }
  return text + "\n";
}

std::string what_one_can_do(const Options& options) {
  return options.common.language(
      fmt::format("check: {} · on each save: watch · hint · anew: reset · all: list",
                  options.command("check")));
}

std::string where_challenges_are(const Options& options) {
  return options.common.language("5 to 8 in any language: tools/learning/challenges/README.md");
}

std::string after_the_last(const Options& options, const LearnerSession& session) {
  if (session.here().is_python()) return where_challenges_are(options);
  return options.common.language("the story ends here; wrong turns to spot: " +
                                 options.command("list"));
}

std::string headline(const Options& options, const LearnerSession& session) {
  const auto& exercise = session.here();
  const auto& language = options.common.language;
  auto title = ": " + exercise.title;
  if (exercise.parts.size() > 1) {
    title += fmt::format(" · part {} of {}: {}", session.part_number() + 1, exercise.parts.size(),
                         session.part().title);
  }
  return exercise.is_main() ? language("exercise " + exercise.name + title)
                            : exercise.name + language(title);
}

}  // namespace learning
