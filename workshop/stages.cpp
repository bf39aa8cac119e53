#include "workshop/stages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "faults/errors.h"
#include "stage_list.h"  // made by CMake: stage_names

namespace workshop {
namespace {

using faults::Scenario;
using faults::Stage;

// Levenshtein's distance: how many letters to change, add or leave out.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto changed = diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

// Names are long, and people type their beginnings: a candidate's beginning counts as well.
std::size_t strangeness(const std::string& name, const std::string& candidate) {
  return std::min(distance(name, candidate), distance(name, candidate.substr(0, name.size())));
}

// "stage3_set_nx_px", "stage3" and "3" all do.
bool names_stage(const std::string& name, const std::string& stage) {
  const auto number = stage.substr(0, stage.find('_'));
  return name == stage || name == number || "stage" + name == number;
}

[[noreturn]] void unknown_name(const char* what, const std::string& name,
                               const std::vector<std::string>& candidates) {
  throw faults::CannotRun(fmt::format("there is no {} \"{}\";{} ./lab list shows all", what, name,
                                      did_you_mean(name, candidates)));
}

}  // namespace

std::vector<Stage> all_stages() {
  std::vector<Stage> stages;
  for (const auto* name : stage_names) {
    stages.push_back(faults::load_stage(
        std::filesystem::path(LAB_SOURCE_DIR) / name,
        {(std::filesystem::path(LAB_BINARY_DIR) / name / (std::string(name) + "_client"))
             .native()}));
  }
  return stages;
}

std::vector<Stage> all_wrong_turns() {
  std::vector<Stage> turns;
  for (const auto& stage : all_stages()) {
    for (auto& turn : faults::load_wrong_turns(stage)) turns.push_back(std::move(turn));
  }
  return turns;
}

std::vector<Stage> all_variants() {
  std::vector<Stage> variants;
  for (const auto& stage : all_stages()) {
    for (auto& variant : faults::load_variants(stage)) variants.push_back(std::move(variant));
  }
  return variants;
}

std::vector<Stage> all_relatives() {
  auto relatives = all_wrong_turns();
  for (auto& variant : all_variants()) relatives.push_back(std::move(variant));
  return relatives;
}

Stage stage_named(const std::string& name) {
  auto known = all_stages();
  const auto slash = std::min(name.find('/'), name.size());
  auto full = name;
  for (const auto& stage : known) {
    if (names_stage(name.substr(0, slash), stage.name)) full = stage.name + name.substr(slash);
  }
  for (auto& relative : all_relatives()) known.push_back(std::move(relative));
  std::vector<std::string> names;
  for (auto& stage : known) {
    const auto own_name = stage.name.substr(stage.name.find('/') + 1);
    if (full == stage.name || full == own_name) return stage;
    names.push_back(slash == name.size() ? own_name : stage.name);
  }
  unknown_name("stage", full, names);
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

std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates) {
  auto near = candidates;
  // A name of which hardly a letter is right is no slip.
  std::erase_if(near, [&](const auto& one) { return strangeness(name, one) > name.size() / 2; });
  std::stable_sort(near.begin(), near.end(), [&](const auto& a, const auto& b) {
    return strangeness(name, a) < strangeness(name, b);
  });
  near.resize(std::min<std::size_t>(near.size(), 3));
  return near.empty() ? std::string() : fmt::format(" did you mean {}?", fmt::join(near, ", "));
}

}  // namespace workshop
