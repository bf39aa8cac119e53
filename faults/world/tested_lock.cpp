#include "faults/world/tested_lock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "faults/kit/errors.h"
#include "faults/kit/history.h"

namespace faults {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* declaration = "declared.json";

json read_declaration(const fs::path& directory) {
  const auto file = directory / declaration;
  std::ifstream input(file);
  if (!input) throw CannotRun(fmt::format("cannot read {}", file.native()));
  try {
    return json::parse(input);
  } catch (const json::exception& error) {
    throw CannotRun(fmt::format("{} is not JSON: {}", file.native(), error.what()));
  }
}

Declared declared_from(const json& object) {
  Declared declared;
  declared.does_not_apply = object.value("does_not_apply", std::string{});
  if (declared.does_not_apply.empty()) declared.claim = object.at("claim");
  if (declared.does_not_apply.empty() && declared.claim.find('.') == std::string::npos) {
    throw CannotRun(
        fmt::format("the claim \"{}\" does not read Subject.WhatItClaims", declared.claim));
  }
  for (const auto& name : object.value("broken", std::vector<std::string>{})) {
    declared.broken.push_back(property_from(name));
  }
  declared.boundaries = object.value("at", std::vector<std::string>{});
  return declared;
}

int nodes_from(const json& object) {
  const int nodes = object.value("nodes", 1);
  if (nodes < 1) throw CannotRun("a lock needs a node: \"nodes\" is a number above 0");
  return nodes;
}

bool keeps_data_from(const json& object) {
  const auto text = object.value("durability", std::string("forgets"));
  if (text == "keeps" || text == "forgets") return text == "keeps";
  throw CannotRun(fmt::format("\"{}\" is not a durability: it is \"keeps\" or \"forgets\"", text));
}

Fence fence_from(const json& object) {
  const auto text = object.value("storage", std::string{});
  if (text.empty()) return Fence::reads_and_writes;
  if (text == "fences writes only") return Fence::writes_only;
  throw CannotRun(fmt::format("\"{}\" is not a kind of storage", text));
}

// The stage of a variant that has a room of its own, or lies in one.
fs::path original_from(const json& object, const fs::path& directory) {
  const auto original = object.value("variant_of", std::string{});
  if (original.empty()) return {};
  auto place = directory.parent_path();
  while (!fs::exists(place / original) && place.has_relative_path()) place = place.parent_path();
  return place / original;
}

TestedLock stage_from(const json& object, const char* sentence, const fs::path& directory,
                      std::vector<std::string> command) {
  try {
    TestedLock stage{.name = directory.filename().native(),
                     .adds = object.at(sentence),
                     .directory = directory,
                     .command = std::move(command),
                     .commands_on_the_wire = object.at("commands"),
                     .declared = {},
                     .nodes = nodes_from(object),
                     .marker = object.value("marker", std::string{}),
                     .keeps_data = keeps_data_from(object),
                     .storage = fence_from(object),
                     .turned_from = {},
                     .scripts_from = original_from(object, directory),
                     .is_variant = object.contains("variant_of")};
    for (const auto& [scenario, entry] : object.at("scenarios").items()) {
      stage.declared[scenario] = declared_from(entry);
    }
    return stage;
  } catch (const std::exception& error) {  // the JSON's, or what is said above
    throw CannotRun(fmt::format("{} is not a declaration: {}", (directory / declaration).native(),
                                error.what()));
  }
}

// `object` is the declaration of `stage`, without scenarios.
TestedLock load_beside(const TestedLock& stage, json object, const char* sentence,
                       const fs::path& directory) {
  object.merge_patch(read_declaration(directory));
  const auto name = directory.filename().native();
  const auto client =
      fs::path(stage.command.at(0)).parent_path() / fmt::format("{}_{}_client", stage.name, name);
  auto turn = stage_from(object, sentence, directory, {client.native()});
  turn.name = stage.name + "/" + name;
  turn.turned_from = stage.directory;
  for (const auto& [scenario, declared] : turn.declared) {
    if (stage.declared.contains(scenario)) continue;
    throw CannotRun(fmt::format("{} is not a declaration: its stage says nothing about {}",
                                (directory / declaration).native(), scenario));
  }
  return turn;
}

std::vector<TestedLock> load_all_beside(const TestedLock& stage, const char* folder,
                                        const char* sentence) {
  std::vector<fs::path> directories;
  std::error_code none;  // most stages have no such directory
  for (const auto& entry : fs::directory_iterator(stage.directory / folder, none)) {
    if (fs::exists(entry.path() / declaration)) directories.push_back(entry.path());
  }
  if (directories.empty()) return {};
  std::sort(directories.begin(), directories.end());
  auto object = read_declaration(stage.directory);
  object["scenarios"] = json::object();
  std::vector<TestedLock> found;
  for (const auto& directory : directories) {
    auto turn = load_beside(stage, object, sentence, directory);
    // A learner may have deleted the stage that a variant stands on.
    if (turn.scripts_from.empty() || fs::exists(turn.scripts_from))
      found.push_back(std::move(turn));
  }
  return found;
}

}  // namespace

std::vector<fs::path> TestedLock::directories() const {
  std::vector<fs::path> all{directory};
  if (!turned_from.empty()) all.push_back(turned_from);
  if (!scripts_from.empty()) all.push_back(scripts_from);
  return all;
}

std::string TestedLock::key_on_server() const {
  return facts ? facts->key_of(lock_key) : std::string(lock_key);
}

Pace TestedLock::pace() const {
  if (!facts) return {};
  const auto lease = facts->fitting_lease(Timing::usual_lease);
  if (!facts->renewal) return {.lease = lease, .renewed_after = 1, .retry = facts->retry};
  return {.lease = lease,
          .renewed_after = facts->renewal->after.value_or(1),
          .renewed_before_end = facts->renewal->before_end,
          .retry = facts->retry};
}

namespace {

void change_into(const LockVariant& variant, TestedLock& lock) {
  lock.environment = variant.environment;
  if (variant.nodes > 0) lock.nodes = variant.nodes;
  if (!variant.says.empty()) lock.adds += ": " + variant.says;
  auto& facts = *lock.facts;
  facts.capabilities.insert(facts.capabilities.end(), variant.capabilities.begin(),
                            variant.capabilities.end());
  for (const auto& [scenario, passage] : variant.because) facts.because[scenario] = passage;
  for (const auto& [scenario, why] : variant.not_judged) {
    facts.not_judged.erase(scenario);
    if (!why.empty()) facts.not_judged[scenario] = why;
  }
}

}  // namespace

TestedLock tested_lock_of(const LockFile& lock, int nodes, const std::string& variant) {
  TestedLock stage{.name = lock.name,
                   .adds = lock.library + " " + lock.version,
                   .directory = lock.directory,
                   .command = lock.command,
                   .commands_on_the_wire = {},
                   .declared = {},
                   .nodes = nodes > 0 ? nodes : lock.nodes.front(),
                   .marker = {},
                   .turned_from = {},
                   .facts = lock.facts,
                   .environment = {}};
  if (variant.empty()) return stage;
  const auto found = lock.variants.find(variant);
  if (found == lock.variants.end()) {
    std::vector<std::string> names;
    for (const auto& [name, each] : lock.variants) names.push_back(name);
    throw CannotRun(
        fmt::format("{} has no variant \"{}\"; it has: {}", lock.name, variant,
                    names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
  stage.name += "/" + variant;
  change_into(found->second, stage);
  if (nodes > 0) stage.nodes = nodes;
  return stage;
}

std::vector<ScriptFile> scripts_of(const TestedLock& stage) {
  std::vector<ScriptFile> scripts;
  if (stage.facts) return scripts;
  for (const auto& place : stage.directories()) {
    for (const auto& entry : fs::directory_iterator(place)) {
      if (entry.path().extension() != ".lua") continue;
      std::ifstream file(entry.path());
      scripts.push_back({.name = entry.path().filename().native(),
                         .text = {std::istreambuf_iterator<char>(file), {}}});
    }
  }
  return scripts;
}

TestedLock load_tested_lock(const fs::path& directory, std::vector<std::string> command) {
  return stage_from(read_declaration(directory), "adds", directory, std::move(command));
}

std::vector<TestedLock> load_wrong_turns(const TestedLock& stage) {
  return load_all_beside(stage, "wrong_turns", "wrong");
}

std::vector<TestedLock> load_variants(const TestedLock& stage) {
  auto variants = load_all_beside(stage, "variants", "adds");
  for (auto& variant : variants) variant.is_variant = true;
  return variants;
}

}  // namespace faults
