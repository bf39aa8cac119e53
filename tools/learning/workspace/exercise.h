// The exercises: what a learner is given, and what it is to withstand.
//
// Exercise k leads from stage k-1 to stage k, in one part or in several, each with scenarios of its
// own. Beside the eight stand the wrong turns of our stages: a lock with one mistake, to be
// spotted; and the first four in Python. Each is a file,
// tools/learning/exercises/NAME/exercise.json. Thread-safety: values.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "faults/scenarios/scenario.h"
#include "faults/world/tested_lock.h"

namespace learning {

// How an exercise fails as long as nobody has touched it.
struct Unsolved {
  std::vector<faults::Property> broken;  // empty: nothing can be shown, since nobody holds the lock
  std::string says;                      // the key of its mistake
};

// A lesson of at most a quarter of an hour.
struct ExercisePart {
  std::string title;                   // a few words; of an exercise of one part, the exercise's
  std::string task;                    // what is to be done, a sentence or two
  std::vector<std::string> scenarios;  // the one that breaks it first; the others hold with it
  std::array<std::string, 3> hints;    // what to look at; which command; the line

  [[nodiscard]] bool has(const std::string& scenario) const;
};

struct Exercise {
  std::string name;                 // "1" to "8", "python1", or the name of a wrong turn
  std::string title;                // a few words
  std::string stage;                // whose solution it is, such as "stage3_set_nx_px"
  std::string broken_by;            // the row of the search's table that breaks the stage before it
  std::vector<ExercisePart> parts;  // at least one
  std::vector<std::string> open;    // the files to open
  std::string why;                  // why production code does it so
  Unsolved unsolved;

  [[nodiscard]] bool is_python() const { return name.starts_with("python"); }
  [[nodiscard]] bool is_turn() const { return name.size() > 1 && !is_python(); }
  // Is it one of the story line in C++?
  [[nodiscard]] bool is_main() const { return name.size() == 1; }
  // Its number, as the mistakes know it.
  [[nodiscard]] char number() const { return stage.at(std::string("stage").size()); }
  // The scenario that breaks it at the beginning.
  [[nodiscard]] const std::string& scenario() const { return parts.front().scenarios.front(); }
  // Its lock's name: "exercise3", or as the wrong turn.
  [[nodiscard]] std::string lock_name() const { return is_main() ? "exercise" + name : name; }
  // Our stage, which is its solution.
  [[nodiscard]] std::filesystem::path solution() const;
  [[nodiscard]] std::filesystem::path client_of_solution() const;
  // The files to compare a learner's with: our stage's, or ours in Python; and its client.
  [[nodiscard]] std::filesystem::path ours() const;
  [[nodiscard]] std::vector<std::string> client_of_ours() const;
  // The files that a learner gets, by name, with their text.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> start() const;
  // The client built from that (by the tests' build).
  [[nodiscard]] std::vector<std::string> client_of_start() const;
};

// The beginning of a command that runs a program in Python.
[[nodiscard]] std::vector<std::string> python_command();

// Every exercise in order: the main ones, those in Python, the wrong turns; without those of a
// stage that was deleted. Throws CannotRun.
[[nodiscard]] std::vector<Exercise> all_exercises();

// The exercise a person means, by name or the beginning of just one. Throws CannotRun, with the
// nearest.
[[nodiscard]] Exercise exercise_named(const std::string& name);

// The lock behind `client`, a program and its arguments, made from the files in `sources`, as the
// kit sees it: with the servers that the exercise's stage has, which know its scripts.
[[nodiscard]] faults::TestedLock lock_under_test(const Exercise& exercise,
                                                 std::vector<std::string> client,
                                                 const std::filesystem::path& sources);
// Our lock, as the kit sees it.
[[nodiscard]] faults::TestedLock solution_of(const Exercise& exercise);

// The scenarios that it has to withstand: its parts' scenarios in order, then every other one that
// its stage is declared to survive, then those that are for learners' locks only.
[[nodiscard]] std::vector<const faults::Scenario*> promises_of(const Exercise& exercise);
// The same of one part alone.
[[nodiscard]] std::vector<const faults::Scenario*> scenarios_of(const ExercisePart& part);

}  // namespace learning
