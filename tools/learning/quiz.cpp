// `lab learn quiz`: between two exercises, what will come of the lock that was just built? Asked of
// an order of events that the search found: it is listed up to where the second client comes, and
// continues after the guess.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "faults/explore/search/option_names.h"
#include "faults/explore/search/run_recorder.h"
#include "faults/explore/search/survival.h"
#include "faults/kit/errors.h"
#include "faults/running/result_text.h"
#include "tools/learning/guess.h"
#include "tools/learning/learner_session.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/shown_run.h"

namespace learning {
namespace {

// The main exercise of that number; null: there is none.
const Exercise* numbered(const LearnerSession& session, int number) {
  for (const auto& exercise : session.exercises()) {
    if (exercise.is_main() && exercise.number() == number) return &exercise;
  }
  return nullptr;
}

// The exercises that have a quiz: "1, 2, 3".
std::string with_a_quiz(const LearnerSession& session) {
  std::vector<std::string> names;
  for (const auto& exercise : session.exercises()) {
    if (!exercise.is_main() || numbered(session, exercise.number() + 1) == nullptr) continue;
    names.push_back(exercise.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// The shortest order of that row that breaks `stage`.
explore::Schedule schedule_of(const std::string& row, const std::string& stage) {
  const auto file = std::filesystem::path(LAB_SOURCE_DIR) / "faults/explore/survival.json";
  const auto cells = explore::read_survival(file);
  const auto* cell = explore::find_cell(cells, row, stage);
  if (cell == nullptr || cell->order.empty()) {
    throw faults::CannotRun(
        fmt::format("{} has no order that breaks {}: {}", file.native(), stage, row));
  }
  const auto& rows = explore::survival_rows();
  const auto bounds =
      std::find_if(rows.begin(), rows.end(), [&](const auto& other) { return other.name == row; });
  return {
      .lock = stage, .operations = bounds->operations, .steps = explore::steps_from(cell->order)};
}

// How many of the steps are shown: those before the second client comes; or, if it never does, up
// to the first answer.
std::size_t steps_to_show(const explore::Schedule& schedule) {
  const auto& steps = schedule.steps;
  const auto first = [&](const char* words) {
    return static_cast<std::size_t>(
        std::find_if(steps.begin(), steps.end(),
                     [&](const auto& step) { return step.label.starts_with(words); }) -
        steps.begin());
  };
  const auto second_client = first("B: begin");
  if (second_client < steps.size()) return second_client;
  return std::min(first("A: reply") + 1, steps.size());
}

explore::Run replay(const Exercise& exercise, const explore::Schedule& schedule,
                    const Options& options, faults::Reaper& reaper) {
  const explore::WorldPlan world{.stage = solution_of(exercise),
                                 .redis = terminal::plan_for(options.common, reaper).redis,
                                 .program = explore::program_named(schedule.operations),
                                 .judged = explore::properties_from("")};
  explore::Controller controller(world, reaper);
  return explore::replay(controller, schedule);
}

void list_steps(const explore::Schedule& schedule, const terminal::Language& language) {
  const auto shown = steps_to_show(schedule);
  std::cout << language("the order, as the search found it:\n");
  for (std::size_t i = 0; i < shown; ++i) {
    std::cout << fmt::format("  {:>3}  {}\n", i + 1, language(schedule.steps[i].label));
  }
  std::cout << language(fmt::format("  and {} more\n\n", schedule.steps.size() - shown));
}

}  // namespace

int quiz(const Options& options, const std::string& name, faults::Reaper& reaper) {
  const LearnerSession session(options);
  const auto number = (name.empty() ? session.here() : exercise_named(name)).number();
  const auto* next = numbered(session, number + 1);
  if (next == nullptr) {
    throw faults::CannotRun(
        fmt::format("exercise {} has no quiz; these have one: {}", number, with_a_quiz(session)));
  }
  const auto& exercise = *numbered(session, number);
  // The question is about this order alone.
  const faults::Scenario scenario{.name = next->broken_by, .sentence = "A and B go on from there"};
  const auto schedule = schedule_of(next->broken_by, exercise.stage);
  const auto& paint = options.common.paint;
  const auto& language = options.common.language;
  const auto heading = fmt::format("quiz: {}, {}", exercise.stage, scenario.name);
  std::cout << paint.bold(language(heading)) << "\n\n";
  list_steps(schedule, language);
  const auto guess = ask_for_guess(scenario, language);
  const auto run = replay(exercise, schedule, options, reaper);
  std::cout << language(faults::describe_record(run.record, run.judgement, paint)) << '\n';
  if (guess) {
    keep_guess(options.directory, exercise.stage, scenario.name, *guess, outcome_of(run.record),
               language);
  }
  std::cout << language("make it hold: " + options.command("start " + next->name)) << '\n';
  return terminal::exit_holds;
}

}  // namespace learning
