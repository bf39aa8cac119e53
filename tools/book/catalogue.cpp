#include "tools/book/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace book {
namespace {

using faults::Declared;
using faults::Scenario;
using faults::TestedLock;

// Stages with the same declared result.
struct Group {
  Declared declared;
  std::vector<const TestedLock*> stages;
};

bool declare_the_same(const Declared& one, const Declared& other) {
  return one.broken == other.broken && one.boundaries == other.boundaries &&
         one.does_not_apply == other.does_not_apply;
}

std::vector<Group> groups_under(const Scenario& scenario, const std::vector<TestedLock>& stages) {
  std::vector<Group> groups;
  for (const auto& stage : stages) {
    const auto found = stage.declared.find(scenario.name);
    if (found == stage.declared.end()) continue;
    const auto& declared = found->second;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& candidate) {
      return declare_the_same(candidate.declared, declared);
    });
    if (group == groups.end()) group = groups.insert(group, {.declared = declared, .stages = {}});
    group->stages.push_back(&stage);
  }
  return groups;
}

std::string words(const std::vector<faults::Property>& properties) {
  std::vector<std::string_view> names;
  for (const auto property : properties) names.push_back(faults::to_string(property));
  return fmt::format("{}", fmt::join(names, ", "));
}

int number_of(const TestedLock& stage) {
  constexpr std::string_view prefix = "stage";
  return std::stoi(stage.name.substr(prefix.size()));
}

// "stage 1", "stages 2 to 4", "stages 1, 3 to 8".
std::string numbers(const std::vector<const TestedLock*>& stages) {
  std::vector<std::string> parts;
  for (std::size_t first = 0, last = 0; first < stages.size(); first = ++last) {
    while (last + 1 < stages.size() &&
           number_of(*stages[last + 1]) == number_of(*stages[last]) + 1) {
      ++last;
    }
    const auto from = number_of(*stages[first]);
    const auto to = number_of(*stages[last]);
    parts.push_back(from == to ? std::to_string(from) : fmt::format("{} to {}", from, to));
  }
  return fmt::format("{} {}", stages.size() == 1 ? "stage" : "stages", fmt::join(parts, ", "));
}

// Links to the timelines of a red group.
std::string timelines(const Group& group, const Scenario& scenario) {
  std::vector<std::string> links;
  for (const auto* stage : group.stages) {
    links.push_back(fmt::format("[{}](../faults/recorded/{}/{}.txt)", number_of(*stage),
                                stage->name, scenario.name));
  }
  return fmt::format("{}", fmt::join(links, ", "));
}

std::string lines_of(const Group& group, const Scenario& scenario) {
  const auto& declared = group.declared;
  const auto who = numbers(group.stages);
  if (!declared.does_not_apply.empty()) {
    return fmt::format("- – {}: {}\n", who, declared.does_not_apply);
  }
  if (declared.broken.empty()) return fmt::format("- ✓ {}\n", who);
  auto text = fmt::format("- ✗ {}: {} (timelines: {})\n", who, words(declared.broken),
                          timelines(group, scenario));
  for (const auto& boundary : declared.boundaries) text += fmt::format("  - {}\n", boundary);
  return text;
}

// A wrong turn or a variant, which declares only some scenarios.
std::string lines_of(const TestedLock& relative, const Declared& declared) {
  const auto name = relative.directory.filename().native();
  const auto room = std::filesystem::relative(relative.directory, LAB_SOURCE_DIR).native();
  const auto who =
      fmt::format("{} [{}](../{})", relative.is_variant ? "variant" : "wrong turn", name, room);
  if (!declared.does_not_apply.empty()) {
    return fmt::format("- – {}: {}\n", who, declared.does_not_apply);
  }
  if (declared.broken.empty()) return fmt::format("- ✓ {}\n", who);
  return fmt::format("- ✗ {}: {}\n", who, words(declared.broken));
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
    const auto sweep = scenario.sweep ? " A sweep: at every " + where(*scenario.sweep) + "." : "";
    text += fmt::format("\n## {0}\n\n[{0}.cpp](../faults/scenarios/{0}.cpp): {1}.{2}\n\n",
                        scenario.name, scenario.sentence, sweep);
    text += fmt::format("- judged: {}\n", words(scenario.judged));
    for (const auto& group : groups_under(scenario, stages)) text += lines_of(group, scenario);
    for (const auto& relative : relatives) {
      const auto found = relative.declared.find(scenario.name);
      if (found != relative.declared.end()) text += lines_of(relative, found->second);
    }
  }
  return text + '\n';
}

}  // namespace book
