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
  std::vector<faults::Property> broken;
  std::vector<const TestedLock*> stages;
  std::vector<std::string> relatives;
};

int number_of(const TestedLock& stage) {
  constexpr std::string_view prefix = "stage";
  return std::stoi(stage.name.substr(prefix.size()));
}

Group& group_of(const std::vector<faults::Property>& broken, std::vector<Group>& groups) {
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
  return &group_of(found->second.broken, groups);
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

// How the page says it, and where the repository is from there.
struct Manner {
  const std::string& root;
  const terminal::Language& language;

  [[nodiscard]] std::string joined(const std::vector<std::string>& items) const {
    return fmt::format("{}", fmt::join(items, language(", ")));
  }
  [[nodiscard]] std::string words(const std::vector<faults::Property>& properties) const {
    std::vector<std::string> names;
    for (const auto property : properties) {
      const auto name = language(faults::to_string(property));
      names.push_back(name.substr(0, name.find("（")));  // without the English name
    }
    return joined(names);
  }
};

// "stages [1](…), [2](…)", each with its timeline.
std::string with_timelines(const std::vector<const TestedLock*>& stages, const Scenario& scenario,
                           const Manner& manner) {
  std::vector<std::string> links;
  for (const auto* stage : stages) {
    links.push_back(fmt::format("[{}]({}faults/recorded/{}/{}.txt)", number_of(*stage), manner.root,
                                stage->name, scenario.name));
  }
  return manner.language(stages.size() == 1 ? "stage " : "stages ") + manner.joined(links);
}

std::string line_of(const Group& group, const Scenario& scenario, const Manner& manner) {
  auto locks = group.relatives;
  if (!group.stages.empty()) {
    locks.insert(locks.begin(), with_timelines(group.stages, scenario, manner));
  }
  return manner.language(
      fmt::format("- ✗ {}: {}\n", manner.words(group.broken), manner.joined(locks)));
}

std::string where(const faults::Sweep& sweep) {
  const bool only_replies = sweep.directions == std::vector{faults::Direction::reply};
  return fmt::format("{} of {}", only_replies ? "reply" : "boundary", sweep.operation);
}

}  // namespace

std::string catalogue(const std::vector<Scenario>& scenarios, const std::vector<TestedLock>& stages,
                      const std::vector<TestedLock>& relatives, const std::string& root,
                      const terminal::Language& language) {
  const Manner manner{.root = root, .language = language};
  std::string text;
  for (const auto& scenario : scenarios) {
    const auto sweep = scenario.sweep ? " At every " + where(*scenario.sweep) + "." : "";
    text += fmt::format("\n## {}\n\n", scenario.name);
    text +=
        language(fmt::format("[{}]({}faults/scenarios/{}.cpp).{} Judged: {}.\n", scenario.sentence,
                             root, scenario.name, sweep, manner.words(scenario.judged)));
    const auto groups = groups_under(scenario, stages, relatives);
    if (!groups.empty()) text += '\n';
    for (const auto& group : groups) text += line_of(group, scenario, manner);
  }
  return text + '\n';
}

}  // namespace book
