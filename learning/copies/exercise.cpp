#include "learning/copies/exercise.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "faults/kit/errors.h"
#include "learning/probes/probes.h"
#include "terminal/suggestions.h"

namespace learning {
namespace {

namespace fs = std::filesystem;
using faults::CannotRun;
using nlohmann::json;

fs::path made() {
  return fs::path(LAB_BINARY_DIR) / "learning";
}

Exercise exercise_in(const fs::path& directory) {
  const auto file = directory / "exercise.json";
  std::ifstream input(file);
  try {
    const auto object = json::parse(input);
    Exercise exercise{.name = directory.filename().native(),
                      .title = object.at("title"),
                      .task = object.at("task"),
                      .stage = object.at("stage"),
                      .scenario = object.at("scenario"),
                      .open = object.at("open"),
                      .hints = object.at("hints"),
                      .why = object.at("why"),
                      .unsolved = {.broken = {}, .says = object.at("unsolved").at("says")}};
    for (const auto& property : object.at("unsolved").at("broken")) {
      exercise.unsolved.broken.push_back(faults::property_from(property.get<std::string>()));
    }
    return exercise;
  } catch (const json::exception& error) {
    throw CannotRun(fmt::format("{} is not an exercise: {}", file.native(), error.what()));
  }
}

const faults::Scenario* scenario_of(const Exercise& exercise, const std::string& name) {
  const auto* probe = find_probe(name);
  const auto* scenario = probe != nullptr ? probe : faults::find_scenario(name);
  if (scenario != nullptr) return scenario;
  throw CannotRun(fmt::format("exercise {} names {}, which is no scenario", exercise.name, name));
}

}  // namespace

fs::path Exercise::start() const {
  return made() / "start" / name;
}

fs::path Exercise::solution() const {
  return made() / "solution" / name;
}

fs::path Exercise::client_of(const std::string& which) const {
  return made() / fmt::format("{}_{}_client", which, name);
}

std::vector<Exercise> all_exercises() {
  std::vector<Exercise> exercises;
  for (const auto& entry :
       fs::directory_iterator(fs::path(LAB_SOURCE_DIR) / "learning/exercises")) {
    if (fs::exists(entry.path() / "exercise.json")) exercises.push_back(exercise_in(entry.path()));
  }
  std::erase_if(exercises, [](const Exercise& exercise) {
    return !fs::exists(fs::path(LAB_SOURCE_DIR) / exercise.stage);
  });
  std::sort(exercises.begin(), exercises.end(), [](const Exercise& a, const Exercise& b) {
    return std::tuple(a.stage, a.is_turn(), a.name) < std::tuple(b.stage, b.is_turn(), b.name);
  });
  return exercises;
}

Exercise exercise_named(const std::string& name) {
  const auto exercises = all_exercises();
  std::vector<std::string> names;
  std::vector<Exercise> begin_so;
  for (const auto& exercise : exercises) {
    if (exercise.name == name || "exercise" + exercise.name == name) return exercise;
    if (exercise.name.starts_with(name)) begin_so.push_back(exercise);
    names.push_back(exercise.name);
  }
  if (begin_so.size() == 1) return begin_so.front();
  throw CannotRun(fmt::format("there is no exercise \"{}\";{} ./lab learn list shows all", name,
                              terminal::did_you_mean(name, names)));
}

faults::Stage lock_under_test(const Exercise& exercise, std::vector<std::string> client,
                              const fs::path& sources) {
  client.front() = fs::absolute(client.front());
  auto stage = faults::load_stage(fs::path(LAB_SOURCE_DIR) / exercise.stage, std::move(client));
  stage.name = exercise.lock_name();
  stage.turned_from = std::exchange(stage.directory, sources);
  return stage;
}

std::vector<const faults::Scenario*> promises_of(const Exercise& exercise) {
  const auto stage = faults::load_stage(fs::path(LAB_SOURCE_DIR) / exercise.stage, {});
  std::vector promises{scenario_of(exercise, exercise.scenario)};
  for (const auto& scenario : faults::all_scenarios()) {
    const auto declared = stage.declared.find(scenario.name);
    if (declared == stage.declared.end() || scenario.name == exercise.scenario) continue;
    const bool survives =
        declared->second.broken.empty() && declared->second.does_not_apply.empty();
    if (survives) promises.push_back(&scenario);
  }
  for (const auto& probe : probes()) {
    const bool asked = exercise.stage >= probe.from_stage && exercise.stage < probe.to_stage;
    if (asked && probe.scenario.name != exercise.scenario) promises.push_back(&probe.scenario);
  }
  return promises;
}

}  // namespace learning
