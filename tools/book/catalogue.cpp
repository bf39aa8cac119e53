#include "tools/book/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace book {
namespace {

using faults::Scenario;
using faults::TestedLock;

// Locks that break the same properties.
struct Group {
  std::string broken;
  std::vector<const TestedLock*> stages;
  std::vector<std::string> relatives;
};

std::string words(const std::vector<faults::Property>& properties) {
  std::vector<std::string_view> names;
  for (const auto property : properties) names.push_back(faults::to_string(property));
  return fmt::format("{}", fmt::join(names, ", "));
}

int number_of(const TestedLock& stage) {
  constexpr std::string_view prefix = "stage";
  return std::stoi(stage.name.substr(prefix.size()));
}

Group& group_of(const std::string& broken, std::vector<Group>& groups) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& candidate) {
    return candidate.broken == broken;
  });
  if (found != groups.end()) return *found;
  return groups.emplace_back(Group{.broken = broken, .stages = {}, .relatives = {}});
}

// The group of `lock` under `scenario`, if it breaks.
Group* group_of(const TestedLock& lock, const Scenario& scenario, std::vector<Group>& groups) {
  const auto found = lock.declared.find(scenario.name);
  if (found == lock.declared.end() || found->second.broken.empty()) return nullptr;
  return &group_of(words(found->second.broken), groups);
}

std::vector<Group> groups_under(const Scenario& scenario, const std::vector<TestedLock>& stages,
                                const std::vector<TestedLock>& relatives) {
  std::vector<Group> groups;
  for (const auto& stage : stages) {
    if (auto* group = group_of(stage, scenario, groups)) group->stages.push_back(&stage);
  }
  for (const auto& relative : relatives) {
    auto* group = group_of(relative, scenario, groups);
    if (group != nullptr) group->relatives.push_back("`" + relative.name + "`");
  }
  return groups;
}

// "stages [1](…), [2](…)", each with its timeline.
std::string with_timelines(const std::vector<const TestedLock*>& stages, const Scenario& scenario) {
  std::vector<std::string> links;
  for (const auto* stage : stages) {
    links.push_back(fmt::format("[{}](../faults/recorded/{}/{}.txt)", number_of(*stage),
                                stage->name, scenario.name));
  }
  return fmt::format("{} {}", stages.size() == 1 ? "stage" : "stages", fmt::join(links, ", "));
}

std::string line_of(const Group& group, const Scenario& scenario) {
  auto locks = group.relatives;
  if (!group.stages.empty()) locks.insert(locks.begin(), with_timelines(group.stages, scenario));
  return fmt::format("- ✗ {}: {}\n", group.broken, fmt::join(locks, ", "));
}

std::string where(const faults::Sweep& sweep) {
  const bool only_replies = sweep.directions == std::vector{faults::Direction::reply};
  return fmt::format("{} of {}", only_replies ? "reply" : "boundary", sweep.operation);
}

}  // namespace

std::string catalogue(const std::vector<Scenario>& scenarios, const std::vector<TestedLock>& stages,
                      const std::vector<TestedLock>& relatives) {
  std::string text;
  for (const auto& scenario : scenarios) {
    const auto sweep = scenario.sweep ? " At every " + where(*scenario.sweep) + "." : "";
    text += fmt::format("\n## {0}\n\n[{1}](../faults/scenarios/{0}.cpp).{2} Judged: {3}.\n",
                        scenario.name, scenario.sentence, sweep, words(scenario.judged));
    const auto groups = groups_under(scenario, stages, relatives);
    if (!groups.empty()) text += '\n';
    for (const auto& group : groups) text += line_of(group, scenario);
  }
  return text + '\n';
}

}  // namespace book
