// The commands that only look, and those that put files in place.
#include "tools/learning/learn.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "faults/kit/errors.h"
#include "faults/kit/shell_word.h"
#include "tools/book/documents.h"
#include "tools/learning/learner_session.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/pager.h"
#include "tools/terminal/text.h"
#include "tools/terminal/unified_diff.h"

namespace learning {
namespace {

using nlohmann::json;
using terminal::wrapped;

std::string painted_state(const std::string& state, const terminal::Options& options,
                          std::size_t width = 0) {
  const auto& paint = options.paint;
  const auto padded = terminal::padded(state.empty() ? "·" : options.language(state), width);
  if (state == "green") return paint.green(padded);
  if (state == "red") return paint.red(padded);
  return paint.dim(padded);
}

// Shows the last check of a lock that is red.
void show_red(const Options& options, const Attempt& attempt) {
  const auto& language = options.common.language;
  const auto where = language(fmt::format("red at {}", attempt.scenario));
  std::cout << options.common.paint.red(where) << '\n' << wrapped(language(attempt.sentence), "  ");
}

// "ours: lock.cpp 59 lines", of those files that are to be changed.
std::string ours_in_lines(const LearnerSession& session) {
  const auto& exercise = session.here();
  std::vector<std::string> files;
  for (const auto& file : exercise.open) {
    if (!std::filesystem::exists(exercise.ours() / file)) continue;
    const auto text = book::read_file(exercise.ours() / file);
    files.push_back(fmt::format("{} {}", file, std::count(text.begin(), text.end(), '\n')));
  }
  if (files.empty()) return {};
  return fmt::format("ours, in lines: {}\n", fmt::join(files, ", "));
}

void show_where(const Options& options, const LearnerSession& session, const Attempt& attempt) {
  const auto& language = options.common.language;
  const auto& part = session.part();
  std::cout << options.common.paint.bold(headline(options, session)) << "   "
            << painted_state(attempt.state, options.common) << "\n\n"
            << wrapped(language(part.task)) << '\n';
  if (attempt.state == "red") {
    show_red(options, attempt);
  } else {
    const auto* scenario = scenarios_of(part).front();
    const auto told = fmt::format("the scenario: {}: {}", scenario->name, scenario->sentence);
    std::cout << wrapped(language(told));
  }
  std::cout << files_to_open(options, session) << language(ours_in_lines(session));
  if (attempt.state != "green") {
    std::cout << what_one_can_do(options) << '\n';
  } else if (const auto* next = session.next()) {
    std::cout << language(fmt::format("next: {} · why it is done so: hint · ours: solution\n",
                                      options.command("start " + next->name)));
  } else {
    std::cout << after_the_last(options, session) << '\n';
  }
}

long long now() {
  return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
}

// Tells the learner if the exercise's files are there already: they are kept.
void begin(LearnerSession& session, const Exercise& exercise, const Options& options) {
  const auto copy = session.copy(exercise);
  if (copy.exists()) {
    std::cout << wrapped(
        options.common.language(fmt::format("{} is there already and is kept; to start over: {}",
                                            copy.shown(), options.command("reset"))));
  }
  copy.complete();
  session.go_to(exercise, [&](Progress& progress) {
    auto& attempt = progress.attempts[exercise.name];
    if (attempt.state == "skipped") attempt.state = "begun";
    if (attempt.begun_at == 0 && !attempt.solved) attempt.begun_at = now();
  });
}

json as_json(const Exercise& exercise, const LearnerSession& session) {
  const auto attempt = session.attempt_at(exercise);
  return {{"name", exercise.name},
          {"title", exercise.title},
          {"scenario", exercise.scenario()},
          {"stage", exercise.stage},
          {"state", session.state_of(exercise)},
          {"last_check", attempt.state},
          {"part", std::min(attempt.part + 1, exercise.parts.size())},
          {"parts", exercise.parts.size()},
          {"checks", attempt.checks},
          {"hints", attempt.hints},
          {"minutes", attempt.minutes},
          {"median_minutes", attempt.median_minutes()}};
}

json where_as_json(LearnerSession& session) {
  if (!session.has_begun()) return {{"at", nullptr}};
  const auto& exercise = session.here();
  const auto attempt = session.attempt();
  auto object = as_json(exercise, session);
  object["at"] = exercise.name;
  object["task"] = session.part().task;
  object["directory"] = session.copy(exercise).path().native();
  object["open"] = exercise.open;
  object["red"] = nullptr;
  if (attempt.state == "red") {
    object["red"] = {{"scenario", attempt.scenario}, {"sentence", attempt.sentence}};
  }
  return object;
}

// The words behind an exercise's name in the list: its part, how long it took, what is red again.
std::string notes_on(const Exercise& exercise, const LearnerSession& session,
                     const terminal::Language& language) {
  const auto attempt = session.attempt_at(exercise);
  std::vector<std::string> notes;
  if (!attempt.solved && attempt.part > 0) {
    notes.push_back(fmt::format("part {} of {}", attempt.part + 1, exercise.parts.size()));
  }
  if (const auto minutes = attempt.median_minutes(); minutes > 0) {
    const auto runs = attempt.minutes.size();
    notes.push_back(runs == 1 ? fmt::format("{} min", minutes)
                              : fmt::format("{} min, the median of your {} runs", minutes, runs));
  }
  if (attempt.solved && attempt.state == "red") notes.emplace_back("the last check was red");
  for (auto& note : notes) note = language(note);
  return notes.empty() ? "" : fmt::format(" ({})", fmt::join(notes, "; "));
}

}  // namespace

std::filesystem::path usual_directory() {
  return LAB_SOURCE_DIR "/learn";
}

std::string Options::command(std::string_view words) const {
  if (directory == usual_directory()) return fmt::format("./lab learn {}", words);
  return fmt::format("./lab learn --directory {} {}", faults::shell_word(directory.native()),
                     words);
}

int status(const Options& options) {
  LearnerSession session(options);
  if (options.common.json) {
    std::cout << where_as_json(session).dump(2) << '\n';
    return terminal::exit_holds;
  }
  if (session.has_begun()) {
    show_where(options, session, session.attempt());
    return terminal::exit_holds;
  }
  const auto& language = options.common.language;
  std::cout << language(
                   "Eight exercises lead from an empty lock to ours. Each gives you a lock, a "
                   "scenario that\n"
                   "breaks it, and a sentence that says what it did wrong; you make it hold.\n\n")
            << language(fmt::format("begin: {}    join at any: jump 4    all: list\n",
                                    options.command("start 1")));
  return terminal::exit_holds;
}

int list(const Options& options) {
  const LearnerSession session(options);
  if (options.common.json) {
    auto array = json::array();
    for (const auto& exercise : session.exercises()) array.push_back(as_json(exercise, session));
    std::cout << array.dump(2) << '\n';
    return terminal::exit_holds;
  }
  const auto& paint = options.common.paint;
  const auto& language = options.common.language;
  const auto show = [&](std::string_view heading, const auto& fits) {
    std::cout << paint.bold(language(heading)) << '\n';
    for (const auto& exercise : session.exercises()) {
      if (!fits(exercise)) continue;
      const bool here = session.has_begun() && exercise.name == session.here().name;
      std::cout << fmt::format("{} {}{:<28} {}{}\n", here ? "→" : " ",
                               painted_state(session.state_of(exercise), options.common, 8),
                               exercise.name, language(exercise.title),
                               paint.dim(notes_on(exercise, session, language)));
    }
  };
  show("exercises", [](const Exercise& exercise) { return exercise.is_main(); });
  show("the first ones in Python", [](const Exercise& exercise) { return exercise.is_python(); });
  std::cout << "  " << where_challenges_are(options) << '\n';
  show("spot what is wrong", [](const Exercise& exercise) { return exercise.is_turn(); });
  return terminal::exit_holds;
}

int start(const Options& options, const std::string& name) {
  LearnerSession session(options);
  const auto* next = session.next();
  if (name.empty() && next == nullptr) {
    throw faults::CannotRun("every exercise is solved; name one to go back to: " +
                            options.command("list"));
  }
  const auto exercise = name.empty() ? *next : exercise_named(name);
  begin(session, exercise, options);
  show_where(options, session, session.attempt());
  return terminal::exit_holds;
}

int jump(const Options& options, const std::string& name) {
  LearnerSession session(options);
  if (name.empty()) throw faults::CannotRun("which exercise? such as " + options.command("jump 4"));
  const auto exercise = exercise_named(name);
  begin(session, exercise, options);
  session.change([&](Progress& progress) {
    for (const auto& other : session.exercises()) {
      const bool before = exercise.is_main() && other.is_main() && other.name < exercise.name;
      if (before && !progress.attempts[other.name].solved) {
        progress.attempts[other.name].state = "skipped";
      }
    }
  });
  show_where(options, session, session.attempt());
  return terminal::exit_holds;
}

int reset(const Options& options, const std::string& name) {
  LearnerSession session(options);
  const auto exercise = name.empty() ? session.here() : exercise_named(name);
  const auto copy = session.copy(exercise);
  const auto& language = options.common.language;
  if (copy.exists()) {
    std::cout << language("what was there is now in " + copy.make_anew().native()) << '\n';
  } else {
    copy.complete();
  }
  session.change([&](Progress& progress) {
    auto& attempt = progress.attempts[exercise.name];
    attempt.state = "begun";
    attempt.asked_for_solution = 0;
    attempt.part = 0;
    attempt.hints = 0;
    attempt.begun_at = now();
    attempt.scenario.clear();
    attempt.sentence.clear();
  });
  std::cout << language(copy.shown() + " is as it was at the beginning\n");
  return terminal::exit_holds;
}

namespace {

// The part whose hints are about what is red: an old promise is that of another exercise.
const ExercisePart& part_about(const LearnerSession& session) {
  const auto& here = session.part();
  const auto attempt = session.attempt();
  if (attempt.state != "red" || here.has(attempt.scenario)) return here;
  for (const auto& exercise : session.exercises()) {
    if (exercise.is_turn() || exercise.is_python() != session.here().is_python()) continue;
    for (const auto& part : exercise.parts) {
      if (part.has(attempt.scenario)) return part;
    }
  }
  return here;
}

// The hints are the exercise's; what the learner wrote may be wrong in another way.
void say_which_red(const Options& options, const LearnerSession& session, const Attempt& attempt,
                   const ExercisePart& hinted) {
  show_red(options, attempt);
  if (attempt.scenario != the_build && !hinted.has(attempt.scenario)) {
    std::cout << wrapped(options.common.language(
        fmt::format("That is another scenario than the hints are about, which is {}.",
                    hinted.scenarios.front())));
  } else if (&hinted != &session.part()) {
    std::cout << wrapped(
        options.common.language(fmt::format("An old promise; its hints: {}", hinted.title)));
  }
}

void show_hints(const ExercisePart& part, int count, const terminal::Options& options) {
  const auto& language = options.language;
  constexpr std::array what{"what to look at", "which command", "the line"};
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    std::cout << options.paint.bold(fmt::format("{}. {}", i + 1, language(what[i]))) << '\n'
              << wrapped(language(part.hints[i]), "   ");
  }
}

}  // namespace

int hint(const Options& options) {
  LearnerSession session(options);
  const auto& part = part_about(session);
  const auto count = static_cast<int>(part.hints.size());
  session.change_attempt([count](Attempt& attempt) {
    attempt.hints = attempt.state == "green" ? count : std::min(attempt.hints + 1, count);
  });
  const auto attempt = session.attempt();
  const auto& paint = options.common.paint;
  const auto& language = options.common.language;
  if (attempt.state == "red") say_which_red(options, session, attempt, part);
  show_hints(part, attempt.hints, options.common);
  if (attempt.state == "green") {
    std::cout << paint.bold(language("why production code does it so")) << '\n'
              << wrapped(language(session.here().why), "   ");
  } else if (attempt.hints < count) {
    std::cout << paint.dim(language("more: " + options.command("hint"))) << '\n';
  } else {
    std::cout << paint.dim(language("that was the last one; ours: " + options.command("solution")))
              << '\n';
  }
  return terminal::exit_holds;
}

int solution(const Options& options) {
  LearnerSession session(options);
  const auto& exercise = session.here();
  const auto attempt = session.attempt();
  const auto& language = options.common.language;
  if (attempt.state != "green" && attempt.asked_for_solution == 0) {
    session.change_attempt([](Attempt& now) { ++now.asked_for_solution; });
    std::cout << language(
        fmt::format("It is not solved yet. A hint may do: {}\n"
                    "If you want ours all the same, ask once more: {}\n",
                    options.command("hint"), options.command("solution")));
    return terminal::exit_holds;
  }
  const auto copy = session.copy(exercise);
  const auto& paint = options.common.paint;
  const auto text = paint.bold(language(fmt::format("yours → ours ({})", exercise.stage))) + "\n\n";
  std::string differences;
  for (const auto& file : copy.files()) {
    if (!std::filesystem::exists(exercise.ours() / file)) continue;  // the learner's own idea
    differences += terminal::difference({"yours/" + file, copy.path() / file},
                                        {"ours/" + file, exercise.ours() / file}, paint.on);
  }
  terminal::show_paged(text +
                       (differences.empty() ? language("there is no difference\n") : differences));
  return terminal::exit_holds;
}

}  // namespace learning
