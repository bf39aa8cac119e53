#include "tools/learning/workspace/exercise.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "faults/kit/errors.h"
#include "tools/book/documents.h"
#include "tools/learning/build_settings.h"  // made by CMake
#include "tools/learning/learners_scenarios.h"
#include "tools/terminal/suggestions.h"

namespace learning {
namespace {

namespace fs = std::filesystem;
using faults::CannotRun;
using nlohmann::json;
using Files = std::map<std::string, std::string>;

fs::path place_of(const Exercise& exercise) {
  return fs::path(LAB_SOURCE_DIR) / "tools/learning/exercises" / exercise.name;
}

// The files with which it begins in the place of our stage's: kept with it, or made by the build
// from ours, as its start.diff says. Not there: it begins with the stage before.
fs::path start_of(const Exercise& exercise) {
  if (!fs::exists(place_of(exercise) / "start.diff")) return place_of(exercise) / "start";
  return fs::path(LAB_BINARY_DIR) / "tools/learning/starts" / exercise.name / exercise.stage;
}

ExercisePart part_of(const json& object, const std::string& title) {
  return {.title = object.value("title", title),
          .task = object.at("task"),
          .scenarios = object.at("scenarios"),
          .hints = object.at("hints")};
}

Exercise exercise_in(const fs::path& directory) {
  const auto file = directory / "exercise.json";
  std::ifstream input(file);
  try {
    const auto object = json::parse(input);
    Exercise exercise{.name = directory.filename().native(),
                      .title = object.at("title"),
                      .stage = object.at("stage"),
                      .broken_by = object.value("broken_by", ""),
                      .parts = {},
                      .open = object.at("open"),
                      .why = object.at("why"),
                      .unsolved = {.broken = {}, .says = object.at("unsolved").at("says")}};
    for (const auto& part : object.at("parts")) {
      exercise.parts.push_back(part_of(part, exercise.title));
    }
    for (const auto& property : object.at("unsolved").at("broken")) {
      exercise.unsolved.broken.push_back(faults::property_from(property.get<std::string>()));
    }
    return exercise;
  } catch (const json::exception& error) {
    throw CannotRun(fmt::format("{} is not an exercise: {}", file.native(), error.what()));
  }
}

// The lock's own files in `directory`: not those around it, nor their scripts.
void add_files_of(const fs::path& directory, Files& files) {
  if (!fs::exists(directory)) return;
  const std::vector<std::string> of_others{"counters.lua", "fenced_store.lua", "raise_counter.lua"};
  for (const auto& entry : fs::directory_iterator(directory)) {
    const auto name = entry.path().filename().native();
    const bool is_script = entry.path().extension() == ".lua" &&
                           std::find(of_others.begin(), of_others.end(), name) == of_others.end();
    if (is_script || name == "lock.h" || name == "lock.cpp" || name == "client.cpp") {
      files[name] = book::read_file(entry.path());
    }
  }
}

// All sources in `directory`, whatever they are called.
void add_all_of(const fs::path& directory, Files& files) {
  if (!fs::exists(directory)) return;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const auto kind = entry.path().extension();
    if (kind == ".h" || kind == ".cpp" || kind == ".lua" || kind == ".py") {
      files[entry.path().filename().native()] = book::read_file(entry.path());
    }
  }
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

// The stage before that of `exercise`.
fs::path stage_before(const Exercise& exercise) {
  const auto prefix = fmt::format("stage{}_", exercise.number() - '0' - 1);
  for (const auto& entry : fs::directory_iterator(LAB_SOURCE_DIR)) {
    if (entry.path().filename().native().starts_with(prefix)) return entry.path();
  }
  throw CannotRun(
      fmt::format("there is no {}, from which exercise {} starts", prefix, exercise.name));
}

const faults::Scenario* scenario_named(const std::string& name) {
  const auto* scenario = faults::find_scenario(name);
  if (scenario != nullptr) return scenario;
  throw CannotRun(fmt::format("an exercise names {}, which is no scenario", name));
}

// The program around the lock.py in `directory`.
std::vector<std::string> python_client(const fs::path& directory) {
  auto command = python_command();
  command.push_back(fs::path(LAB_SOURCE_DIR) / "tools/learning/exercises/python/client.py");
  command.push_back(directory);
  return command;
}

fs::path client_in_build(const fs::path& name) {
  return fs::path(LAB_BINARY_DIR) / name;
}

}  // namespace

bool ExercisePart::has(const std::string& scenario) const {
  return std::find(scenarios.begin(), scenarios.end(), scenario) != scenarios.end();
}

fs::path Exercise::solution() const {
  return fs::path(LAB_SOURCE_DIR) / stage;
}

// In Python the next exercise begins with it.
fs::path Exercise::ours() const {
  if (!is_python()) return solution();
  const auto next = place_of(*this).parent_path() / fmt::format("python{}", number() - '0' + 1);
  return fs::exists(next) ? next / "start" : place_of(*this) / "solution";
}

std::vector<std::string> Exercise::client_of_ours() const {
  if (is_python()) return python_client(ours());
  return {client_of_solution()};
}

fs::path Exercise::client_of_solution() const {
  return client_in_build(fs::path(stage) / (stage + "_client"));
}

std::vector<std::pair<std::string, std::string>> Exercise::start() const {
  Files files;
  const auto own = start_of(*this);
  if (is_python()) {
    add_all_of(own.parent_path().parent_path() / "python", files);
    add_all_of(own, files);
  } else if (is_turn()) {
    add_files_of(solution(), files);
    add_all_of(solution() / "wrong_turns" / name, files);
  } else if (fs::exists(own)) {
    add_files_of(solution(), files);
    add_all_of(own, files);
  } else {  // the stage before, under this one's name
    const auto before = stage_before(*this);
    const auto old_name = before.filename().native();
    add_files_of(before, files);
    for (auto& [file, text] : files) {
      replace_all(text, old_name, stage);
      replace_all(text, old_name.substr(0, old_name.find('_')), stage.substr(0, stage.find('_')));
    }
  }
  return {files.begin(), files.end()};
}

std::vector<std::string> Exercise::client_of_start() const {
  if (is_python()) return python_client(place_of(*this) / "start");
  if (is_turn())
    return {client_in_build(fs::path(stage) / fmt::format("{}_{}_client", stage, name))};
  if (fs::exists(start_of(*this))) {
    return {client_in_build(fmt::format("tools/learning/start_{}_client", name))};
  }
  const auto before = stage_before(*this).filename();
  return {client_in_build(before / (before.native() + "_client"))};
}

std::vector<std::string> python_command() {
  if (fs::exists(settings::python)) return {std::string(settings::python)};
  return {"/usr/bin/env", "python3"};
}

std::vector<Exercise> all_exercises() {
  std::vector<Exercise> exercises;
  for (const auto& entry :
       fs::directory_iterator(fs::path(LAB_SOURCE_DIR) / "tools/learning/exercises")) {
    if (fs::exists(entry.path() / "exercise.json")) exercises.push_back(exercise_in(entry.path()));
  }
  std::erase_if(exercises,
                [](const Exercise& exercise) { return !fs::exists(exercise.solution()); });
  const auto order = [](const Exercise& exercise) {
    const int kind = exercise.is_main() ? 0 : exercise.is_python() ? 1 : 2;
    return std::tuple(kind, exercise.stage, exercise.name);
  };
  std::sort(exercises.begin(), exercises.end(),
            [&](const Exercise& a, const Exercise& b) { return order(a) < order(b); });
  return exercises;
}

Exercise exercise_named(const std::string& name) {
  const auto exercises = all_exercises();
  std::vector<std::string> names;
  std::vector<Exercise> begin_so;
  for (const auto& exercise : exercises) {
    if (exercise.name == name || exercise.lock_name() == name) return exercise;
    if (exercise.name.starts_with(name)) begin_so.push_back(exercise);
    names.push_back(exercise.name);
  }
  if (begin_so.size() == 1) return begin_so.front();
  throw CannotRun(fmt::format("there is no exercise \"{}\";{} ./lab learn list shows all", name,
                              terminal::did_you_mean(name, names)));
}

faults::TestedLock lock_under_test(const Exercise& exercise, std::vector<std::string> client,
                                   const fs::path& sources) {
  if (!exercise.is_python()) client.front() = fs::absolute(client.front());
  auto stage = faults::load_tested_lock(exercise.solution(), std::move(client));
  stage.name = exercise.lock_name();
  stage.turned_from = std::exchange(stage.directory, sources);
  stage.only_tries = true;
  return stage;
}

faults::TestedLock solution_of(const Exercise& exercise) {
  return faults::load_tested_lock(exercise.solution(), {exercise.client_of_solution()});
}

std::vector<const faults::Scenario*> scenarios_of(const ExercisePart& part) {
  std::vector<const faults::Scenario*> scenarios;
  for (const auto& name : part.scenarios) scenarios.push_back(scenario_named(name));
  return scenarios;
}

std::vector<const faults::Scenario*> promises_of(const Exercise& exercise) {
  std::vector<const faults::Scenario*> promises;
  const auto add = [&](const faults::Scenario* scenario) {
    const bool known = std::find(promises.begin(), promises.end(), scenario) != promises.end();
    if (!known) promises.push_back(scenario);
  };
  for (const auto& part : exercise.parts) {
    for (const auto* scenario : scenarios_of(part)) add(scenario);
  }
  const auto stage = faults::load_tested_lock(exercise.solution(), {});
  for (const auto& scenario : faults::all_scenarios()) {
    const auto declared = stage.declared.find(scenario.name);
    if (declared == stage.declared.end()) continue;
    // To find a server is the connection's matter, and no learner's.
    const auto& wanted = scenario.promises;
    if (std::find(wanted.begin(), wanted.end(), "discovery") != wanted.end()) continue;
    const bool survives =
        declared->second.broken.empty() && declared->second.does_not_apply.empty();
    if (survives) add(&scenario);
  }
  for (const auto* scenario : learners_scenarios(exercise.number())) add(scenario);
  return promises;
}

}  // namespace learning
