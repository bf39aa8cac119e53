// The exercises: what a learner is given, and what it is to withstand.
//
// Exercise k leads from stage k-1 to stage k. Beside the eight stand the wrong turns of our stages:
// a lock with one mistake, to be spotted. Each is a file, learning/exercises/NAME/exercise.json.
// Thread-safety: values.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "faults/scenarios/scenario.h"
#include "faults/world/stage.h"

namespace learning {

// How an exercise fails as long as nobody has touched it.
struct Unsolved {
  std::vector<faults::Property> broken;  // empty: nothing can be shown, since nobody holds the lock
  std::string says;                      // the key of its diagnosis
};

struct Exercise {
  std::string name;                  // "1" to "8", or the name of a wrong turn
  std::string title;                 // a few words
  std::string task;                  // what is to be done, a sentence or two
  std::string stage;                 // whose solution it is, such as "stage3_set_nx_px"
  std::string scenario;              // the story that breaks it
  std::vector<std::string> open;     // the files to open
  std::array<std::string, 3> hints;  // what to look at; which command; the line
  std::string why;                   // why production code does it so
  Unsolved unsolved;

  [[nodiscard]] bool is_turn() const { return name.size() > 1; }
  // What its lock is called: "exercise3", or as the wrong turn.
  [[nodiscard]] std::string lock_name() const { return is_turn() ? name : "exercise" + name; }
  // What it starts from, and what we make of it. Both are made by the build.
  [[nodiscard]] std::filesystem::path start() const;
  [[nodiscard]] std::filesystem::path solution() const;
  // The client built from one of them (by the tests' build), "start" or "solution".
  [[nodiscard]] std::filesystem::path client_of(const std::string& which) const;
};

// Every exercise in order, the wrong turns after the exercise of their stage; without those of a
// stage that was deleted. Throws CannotRun.
[[nodiscard]] std::vector<Exercise> all_exercises();

// The exercise a person means, by name or the beginning of just one. Throws CannotRun, with the
// nearest.
[[nodiscard]] Exercise exercise_named(const std::string& name);

// The lock behind `client`, a program and its arguments, made from the files in `sources`, as the
// kit sees it: with the servers that the exercise's stage has, which know its scripts.
[[nodiscard]] faults::Stage lock_under_test(const Exercise& exercise,
                                            std::vector<std::string> client,
                                            const std::filesystem::path& sources);

// What it has to withstand: its own scenario first, then every other one that its stage is declared
// to survive.
[[nodiscard]] std::vector<const faults::Scenario*> promises_of(const Exercise& exercise);

}  // namespace learning
