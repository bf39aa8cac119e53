// `lab learn quiz`: between two exercises, what will come of the lock that was just built? Asked of
// a recorded run, which is shown up to its fault, and then to its end.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "faults/kit/errors.h"
#include "faults/running/describe.h"
#include "learning/desk.h"
#include "learning/guess.h"
#include "table/results.h"
#include "terminal/text.h"

namespace learning {
namespace {

// The main exercise after that one; null: there is none.
const Exercise* after(const Desk& desk, const Exercise& exercise) {
  for (const auto& other : desk.exercises()) {
    if (other.is_main() && other.number() == exercise.number() + 1) return &other;
  }
  return nullptr;
}

// The events until the first fault.
faults::Record up_to_the_fault(const faults::Record& record) {
  const auto fault = std::find_if(record.begin(), record.end(), [](const faults::Event& event) {
    return event.kind == faults::Kind::fault;
  });
  return {record.begin(), fault == record.end() ? fault : fault + 1};
}

}  // namespace

int quiz(const Options& options, const std::string& name) {
  const Desk desk(options);
  const auto exercise = name.empty() ? desk.here() : exercise_named(name);
  const auto* next = after(desk, exercise);
  if (next == nullptr) throw faults::CannotRun("there is no quiz after the last exercise");
  const auto& scenario = *faults::find_scenario(next->scenario());
  const auto file = std::filesystem::path(LAB_SOURCE_DIR) / "testdata" / exercise.stage /
                    (scenario.name + ".jsonl");
  const auto record = faults::read_record(file);
  const auto& paint = options.common.paint;
  std::cout << paint.bold(fmt::format("quiz: {} under {}", exercise.stage, scenario.name)) << "\n\n"
            << terminal::wrapped(scenario.sentence) << '\n'
            << faults::draw_timeline(up_to_the_fault(record), paint) << "\nand then?\n\n";
  const auto guess = ask_for_guess(scenario);
  std::cout << faults::describe_record(record, paint) << '\n';
  if (guess) {
    keep_guess(options.directory, exercise.stage, scenario.name, *guess, outcome_of(record));
  }
  std::cout << fmt::format("make it hold: ./lab learn start {}\n", next->name);
  return table::exit_holds;
}

}  // namespace learning
