// The commands that only look, and those that put files in place.
#include "learning/learn.h"

#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "faults/kit/errors.h"
#include "learning/desk.h"
#include "table/results.h"
#include "terminal/pager.h"
#include "terminal/text.h"
#include "terminal/unified_diff.h"

namespace learning {
namespace {

using nlohmann::json;
using terminal::wrapped;

std::string painted_state(const std::string& state, const faults::Paint& paint,
                          std::size_t width = 0) {
  const auto padded = fmt::format("{:<{}}", state.empty() ? "·" : state, width);
  if (state == "green") return paint.green(padded);
  if (state == "red") return paint.red(padded);
  return paint.dim(padded);
}

// What the last check said, of a lock that is red.
void show_red(const Options& options, const Attempt& attempt) {
  std::cout << options.common.paint.red(fmt::format("red at {}", attempt.scenario)) << '\n'
            << wrapped(attempt.sentence, "  ");
}

void show_where(const Options& options, const Desk& desk, const Attempt& attempt) {
  const auto& exercise = desk.here();
  const auto copy = desk.copy(exercise);
  const auto& paint = options.common.paint;
  std::cout << paint.bold(headline(exercise)) << "   " << painted_state(attempt.state, paint)
            << "\n\n"
            << wrapped(exercise.task) << '\n';
  if (attempt.state == "red") {
    show_red(options, attempt);
  } else {
    const auto story = fmt::format("the story: {}: {}", exercise.scenario,
                                   promises_of(exercise).front()->sentence);
    std::cout << wrapped(story);
  }
  std::cout << "open:";
  for (const auto& file : exercise.open) {
    const bool is_new = copy.exists() && !copy.has(file);
    std::cout << "  " << copy.shown(file) << (is_new ? " (to be made)" : "");
  }
  std::cout << '\n';
  if (attempt.state != "green") {
    std::cout << what_one_can_do << '\n';
  } else if (const auto* next = desk.next()) {
    std::cout << fmt::format(
        "next: ./lab learn start {} · why it is done so: hint · ours: solution\n", next->name);
  } else {
    std::cout << after_the_last << '\n';
  }
}

void begin(Desk& desk, const Exercise& exercise) {
  desk.copy(exercise).complete();
  desk.go_to(exercise, [&](Progress& progress) {
    auto& attempt = progress.attempts[exercise.name];
    if (attempt.state == "skipped") attempt.state = "begun";
  });
}

json as_json(const Exercise& exercise, const Desk& desk) {
  return {{"name", exercise.name},
          {"title", exercise.title},
          {"scenario", exercise.scenario},
          {"stage", exercise.stage},
          {"state", desk.state_of(exercise)}};
}

}  // namespace

int status(const Options& options) {
  Desk desk(options);
  if (options.common.json) {
    json object{{"at", nullptr}};
    if (desk.has_begun()) {
      const auto& exercise = desk.here();
      const auto attempt = desk.attempt();
      object = as_json(exercise, desk);
      object["at"] = exercise.name;
      object["task"] = exercise.task;
      object["directory"] = desk.copy(exercise).path().native();
      object["open"] = exercise.open;
      object["red"] = nullptr;
      if (attempt.state == "red") {
        object["red"] = {{"scenario", attempt.scenario}, {"sentence", attempt.sentence}};
      }
    }
    std::cout << object.dump(2) << '\n';
    return table::exit_holds;
  }
  if (desk.has_begun()) {
    show_where(options, desk, desk.attempt());
    return table::exit_holds;
  }
  std::cout
      << "Eight exercises lead from an empty lock to ours. Each gives you a lock, a story that\n"
         "breaks it, and a sentence that says what it did wrong; you make it hold.\n\n"
         "begin: ./lab learn start 1    join at any: ./lab learn jump 4    all: ./lab learn list\n";
  return table::exit_holds;
}

int list(const Options& options) {
  const Desk desk(options);
  if (options.common.json) {
    auto array = json::array();
    for (const auto& exercise : desk.exercises()) array.push_back(as_json(exercise, desk));
    std::cout << array.dump(2) << '\n';
    return table::exit_holds;
  }
  const auto& paint = options.common.paint;
  const auto show = [&](bool turns) {
    for (const auto& exercise : desk.exercises()) {
      if (exercise.is_turn() != turns) continue;
      const bool here = desk.has_begun() && exercise.name == desk.here().name;
      std::cout << fmt::format("{} {}", here ? "→" : " ",
                               painted_state(desk.state_of(exercise), paint, 8));
      if (turns) {
        std::cout << fmt::format("{:<28} {}\n", exercise.name, exercise.title);
      } else {
        std::cout << fmt::format("{:<3} {:<36} {}\n", exercise.name, exercise.title,
                                 paint.dim(exercise.scenario));
      }
    }
  };
  std::cout << paint.bold("exercises") << '\n';
  show(false);
  std::cout << paint.bold("spot what is wrong") << '\n';
  show(true);
  return table::exit_holds;
}

int start(const Options& options, const std::string& name) {
  Desk desk(options);
  const auto* next = desk.next();
  if (name.empty() && next == nullptr) {
    throw faults::CannotRun("every exercise is solved; name one to go back to: ./lab learn list");
  }
  const auto exercise = name.empty() ? *next : exercise_named(name);
  begin(desk, exercise);
  show_where(options, desk, desk.attempt());
  return table::exit_holds;
}

int jump(const Options& options, const std::string& name) {
  Desk desk(options);
  if (name.empty()) throw faults::CannotRun("which exercise? such as ./lab learn jump 4");
  const auto exercise = exercise_named(name);
  begin(desk, exercise);
  desk.change([&](Progress& progress) {
    for (const auto& other : desk.exercises()) {
      if (exercise.is_turn() || other.is_turn() || other.name >= exercise.name) continue;
      auto& attempt = progress.attempts[other.name];
      if (attempt.state != "green") attempt.state = "skipped";
    }
  });
  show_where(options, desk, desk.attempt());
  return table::exit_holds;
}

int reset(const Options& options, const std::string& name) {
  Desk desk(options);
  const auto exercise = name.empty() ? desk.here() : exercise_named(name);
  const auto copy = desk.copy(exercise);
  if (copy.exists()) {
    std::cout << "what was there is now in " << copy.make_anew().native() << '\n';
  } else {
    copy.complete();
  }
  desk.change([&](Progress& progress) {
    auto& attempt = progress.attempts[exercise.name];
    attempt.state = "begun";
    attempt.asked_for_solution = 0;
    attempt.scenario.clear();
    attempt.sentence.clear();
  });
  std::cout << copy.shown() << " is as it was at the beginning\n";
  return table::exit_holds;
}

int hint(const Options& options) {
  Desk desk(options);
  const auto& exercise = desk.here();
  const auto count = static_cast<int>(exercise.hints.size());
  desk.change_attempt([count](Attempt& attempt) {
    attempt.hints = attempt.state == "green" ? count : std::min(attempt.hints + 1, count);
  });
  const auto attempt = desk.attempt();
  const bool solved = attempt.state == "green";
  // The hints are the exercise's; what one wrote may be wrong in another way.
  if (attempt.state == "red") {
    show_red(options, attempt);
    if (attempt.scenario != exercise.scenario) {
      std::cout << wrapped(fmt::format(
          "That is another story than the hints are about, which is {}.", exercise.scenario));
    }
  }
  constexpr std::array what{"what to look at", "which command", "the line"};
  for (std::size_t i = 0; i < static_cast<std::size_t>(attempt.hints); ++i) {
    std::cout << options.common.paint.bold(fmt::format("{}. {}", i + 1, what[i])) << '\n'
              << wrapped(exercise.hints[i], "   ");
  }
  if (solved) {
    std::cout << options.common.paint.bold("why production code does it so") << '\n'
              << wrapped(exercise.why, "   ");
  } else if (attempt.hints < count) {
    std::cout << options.common.paint.dim("more: ./lab learn hint") << '\n';
  } else {
    std::cout << options.common.paint.dim("that was the last one; ours: ./lab learn solution")
              << '\n';
  }
  return table::exit_holds;
}

int solution(const Options& options) {
  Desk desk(options);
  const auto& exercise = desk.here();
  const auto attempt = desk.attempt();
  if (attempt.state != "green" && attempt.asked_for_solution == 0) {
    desk.change_attempt([](Attempt& now) { ++now.asked_for_solution; });
    std::cout << "It is not solved yet. A hint may do: ./lab learn hint\n"
                 "If you want ours all the same, ask once more: ./lab learn solution\n";
    return table::exit_holds;
  }
  const auto copy = desk.copy(exercise);
  const auto& paint = options.common.paint;
  const auto text = paint.bold(fmt::format("yours → ours ({})", exercise.stage)) + "\n\n";
  std::string differences;
  for (const auto& file : copy.files()) {
    differences += terminal::difference({"yours/" + file, copy.path() / file},
                                        {"ours/" + file, exercise.solution() / file}, paint.on);
  }
  terminal::show_paged(text + (differences.empty() ? "there is no difference\n" : differences));
  return table::exit_holds;
}

}  // namespace learning
