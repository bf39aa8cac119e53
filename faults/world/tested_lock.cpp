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
using std::chrono::milliseconds;

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
                     .is_variant = object.contains("variant_of"),
                     .needs = object.value("needs", std::string{})};
    for (const auto& [scenario, entry] : object.at("scenarios").items()) {
      stage.declared[scenario] = declared_from(entry);
    }
    return stage;
  } catch (const std::exception& error) {  // the JSON's, or what is said above
    throw CannotRun(fmt::format("{} is not a declaration: {}", (directory / declaration).native(),
                                error.what()));
  }
}

// Of a variant that differs from another: where the build has `made` the changed files, and the
// other.
std::vector<fs::path> places_of_other(const json& own, const fs::path& directory,
                                      const fs::path& made) {
  if (!own.contains("differs_from")) return {};
  return {made, directory.parent_path() / own.at("differs_from")};
}

// `object` is the declaration of `stage`, without scenarios.
TestedLock load_beside(const TestedLock& stage, json object, const char* sentence,
                       const fs::path& directory) {
  const auto own = read_declaration(directory);
  const auto name = directory.filename().native();
  const auto programs = fs::path(stage.command.at(0)).parent_path();
  const auto changed_from = places_of_other(own, directory, programs / name / stage.name);
  if (!changed_from.empty()) object.merge_patch(read_declaration(changed_from.back()));
  object.merge_patch(own);
  const auto client = programs / fmt::format("{}_{}_client", stage.name, name);
  auto turn = stage_from(object, sentence, directory, {client.native()});
  turn.changed_from = changed_from;
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
    // A learner may have deleted the stage that a variant is based on.
    if (turn.scripts_from.empty() || fs::exists(turn.scripts_from))
      found.push_back(std::move(turn));
  }
  return found;
}

}  // namespace

std::vector<fs::path> TestedLock::directories() const {
  std::vector<fs::path> all{directory};
  all.insert(all.end(), changed_from.begin(), changed_from.end());
  if (!turned_from.empty()) all.push_back(turned_from);
  if (!scripts_from.empty()) all.push_back(scripts_from);
  return all;
}

std::string TestedLock::key_on_server() const {
  return facts ? facts->key_of(lock_key) : std::string(lock_key);
}

namespace {

// The number of `count` servers that may be gone.
std::size_t minority_of(int count) {
  return static_cast<std::size_t>((count - 1) / 2);
}

// The longest of those that the lab waits for.
milliseconds longest_try_of(const Unanswered& unanswered, int nodes) {
  const auto missing = std::max<std::size_t>(1, minority_of(nodes));
  milliseconds longest{0};
  for (const auto each : {unanswered.try_where_silent(Timing::usual_long_lease, missing),
                          unanswered.try_where_gone(Timing::usual_long_lease, missing)}) {
    if (each <= LockFacts::longest_try) longest = std::max(longest, each);
  }
  return longest;
}

// When an acquire of a lease ends where a majority is gone.
std::optional<Pace::End> end_of(const LockFacts& facts, milliseconds lease, int nodes) {
  if (facts.waiting_ends == "never" || !facts.unanswered || !facts.unanswered->gone_after) {
    return std::nullopt;
  }
  const auto last = facts.unanswered->try_where_gone(lease, minority_of(nodes) + 1);
  const bool ends = last != Unanswered::never;
  const bool by_tries = facts.waiting_ends == "tries";
  return Pace::End{.longest_try = ends ? last : milliseconds(0),
                   .wait_step = ends && by_tries ? facts.wait_step : milliseconds(0)};
}

}  // namespace

Pace TestedLock::pace() const {
  if (!facts) return {};
  const auto lease = facts->fitting_lease(Timing::usual_lease);
  Pace pace{.lease = lease,
            .longest_lease = facts->users_longest_lease.value_or(milliseconds(0)),
            .renewed_after = 1,
            .retry = facts->retry,
            .outlasts_a_loss = facts->lease_that_outlasts_a_loss(),
            .told_of_removal = facts->lease_told_of_removal(),
            .told_of_silence = facts->lease_told_of_silence(),
            .told_late = facts->told_late,
            .gives_up_after = facts->gives_up_after(),
            .end = end_of(*facts, lease, nodes)};
  if (facts->unanswered) pace.longest_try = longest_try_of(*facts->unanswered, nodes);
  if (!facts->renewal) return pace;
  pace.renewed_after = facts->renewal->after.value_or(1);
  pace.renewed_before_end = facts->renewal->before_end;
  return pace;
}

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
  const auto& chosen = found->second;
  if (!chosen.says.empty()) stage.adds += ": " + chosen.says;
  stage.command = chosen.command;
  stage.environment = chosen.environment;
  stage.facts = chosen.facts;
  if (chosen.nodes > 0 && nodes == 0) stage.nodes = chosen.nodes;
  return stage;
}

TestedLock with_default_lease(TestedLock lock) {
  auto& facts = *lock.facts;
  if (!facts.default_lease || *facts.default_lease < facts.shortest_lease) return lock;
  facts.shortest_lease = *facts.default_lease;
  lock.at_default_lease = true;
  return lock;
}

void must_suit(const RedisBinary& redis, const TestedLock& lock, Reaper& reaper) {
  if (lock.needs.empty() || is_at_least(redis, lock.needs, reaper)) return;
  throw CannotRun(
      fmt::format("{} needs {} or newer: ./lab servers shows which there are, and "
                  "--redis NAME takes one",
                  lock.name, lock.needs));
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
