#include "tools/table/stages.h"

#include <fmt/format.h>

#include <algorithm>

#include "faults/explore/atlas/locks.h"
#include "faults/kit/errors.h"
#include "stage_list.h"  // made by CMake: stage_names
#include "tools/field/locks.h"
#include "tools/terminal/suggestions.h"

namespace table {
namespace {

using faults::Scenario;
using faults::TestedLock;

namespace fs = std::filesystem;

constexpr const char* fair_queue = "fair_queue";

// The stage, or the lock that is built like one, in `room`.
TestedLock load(const fs::path& room) {
  const auto client = LAB_BINARY_DIR / room / (room.filename().native() + "_client");
  return faults::load_tested_lock(LAB_SOURCE_DIR / room, {client.native()});
}

// fair_queue was a variant of stage 6 under this name.
bool was_fair_queue(const std::string& name) {
  return name == "queued" || name == "stage6_reentrant/queued";
}

// "stage3_set_nx_px", "stage3" and "3" all do.
bool names_stage(const std::string& name, const std::string& stage) {
  const auto number = stage.substr(0, stage.find('_'));
  return name == stage || name == number || "stage" + name == number;
}

[[noreturn]] void unknown_name(const char* what, const std::string& name,
                               const std::vector<std::string>& candidates) {
  throw faults::CannotRun(fmt::format("there is no {} \"{}\";{} ./lab list shows all", what, name,
                                      terminal::did_you_mean(name, candidates)));
}

}  // namespace

std::vector<TestedLock> all_stages() {
  std::vector<TestedLock> stages;
  for (const auto* name : stage_names) stages.push_back(load(name));
  return stages;
}

std::vector<TestedLock> all_wrong_turns() {
  std::vector<TestedLock> turns;
  for (const auto& stage : all_stages()) {
    for (auto& turn : faults::load_wrong_turns(stage)) turns.push_back(std::move(turn));
  }
  return turns;
}

std::vector<TestedLock> all_variants() {
  std::vector<TestedLock> variants;
  for (const auto& stage : all_stages()) {
    for (auto& variant : faults::load_variants(stage)) variants.push_back(std::move(variant));
  }
  const auto room = fs::path("production") / fair_queue;
  if (!fs::exists(LAB_SOURCE_DIR / room)) return variants;
  const auto queue = load(room);
  variants.push_back(queue);
  for (auto& variant : faults::load_variants(queue)) variants.push_back(std::move(variant));
  return variants;
}

std::vector<TestedLock> all_relatives() {
  auto relatives = all_wrong_turns();
  for (auto& variant : all_variants()) relatives.push_back(std::move(variant));
  return relatives;
}

TestedLock stage_named(const std::string& name) {
  auto known = all_stages();
  const auto slash = std::min(name.find('/'), name.size());
  auto full = name;
  for (const auto& stage : known) {
    if (names_stage(name.substr(0, slash), stage.name)) full = stage.name + name.substr(slash);
  }
  if (was_fair_queue(full)) full = fair_queue;
  for (auto& relative : all_relatives()) known.push_back(std::move(relative));
  std::vector<std::string> names;
  for (auto& stage : known) {
    const auto own_name = stage.name.substr(stage.name.find('/') + 1);
    if (full == stage.name || full == own_name) return stage;
    names.push_back(slash == name.size() ? own_name : stage.name);
  }
  if (faults::find_scenario(name) != nullptr) {
    throw faults::CannotRun(fmt::format(
        "\"{0}\" is a scenario, and here a stage is wanted, as in: ./lab run 3 {0}", name));
  }
  if (field::names_lock(name)) {
    throw faults::CannotRun(
        fmt::format("{} is a lock in field/, and here a stage is wanted, such as 3", name));
  }
  for (auto& lock : field::lock_names()) names.push_back(std::move(lock));
  unknown_name("stage", full, names);
}

TestedLock stage_or_lock_named(const std::string& name, int nodes) {
  if (field::names_lock(name)) return field::lock_named(name, nodes);
  auto stage = atlas::names_atlas_lock(name) ? atlas::lock_named(name) : stage_named(name);
  if (nodes == 0 || nodes == stage.nodes) return stage;
  if (stage.nodes == 1) {
    throw faults::CannotRun(fmt::format("{} stands on one server, not on {}", stage.name, nodes));
  }
  stage.nodes = nodes;
  return stage;
}

std::vector<const Scenario*> scenarios_named(const std::string& name) {
  if (const auto* exact = faults::find_scenario(name)) return {exact};
  std::vector<const Scenario*> family;
  std::vector<std::string> names;
  for (const auto& scenario : faults::all_scenarios()) {
    if (scenario.name.starts_with(name + "_")) family.push_back(&scenario);
    names.push_back(scenario.name);
  }
  if (family.empty()) unknown_name("scenario", name, names);
  return family;
}

}  // namespace table
