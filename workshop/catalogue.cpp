#include "workshop/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace workshop {
namespace {

using faults::Declared;
using faults::Scenario;
using faults::Stage;

// Stages that fare alike, and how: in the order of the first of each.
using Groups = std::vector<std::pair<std::string, std::vector<std::string>>>;

void add_to(Groups& groups, const std::string& how, const std::string& who) {
  for (auto& [known, members] : groups) {
    if (known == how) {
      members.push_back(who);
      return;
    }
  }
  groups.push_back({how, {who}});
}

std::string words(const std::vector<faults::Property>& properties) {
  std::vector<std::string_view> names;
  for (const auto property : properties) names.push_back(faults::to_string(property));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string fares(const Declared& declared) {
  if (!declared.does_not_apply.empty()) return "cannot be told: " + declared.does_not_apply;
  if (declared.broken.empty()) return "holds";
  auto text = "breaks " + words(declared.broken);
  for (const auto& boundary : declared.boundaries) text += "\n  - at " + boundary;
  return text;
}

// "stage 1", "stages 2 to 4", "stages 1, 3, 4".
std::string numbers(const std::vector<std::string>& stages) {
  if (stages.size() == 1) return "stage " + stages.front();
  const int first = std::stoi(stages.front());
  const int last = std::stoi(stages.back());
  const bool in_a_row = last - first + 1 == static_cast<int>(stages.size());
  if (in_a_row && stages.size() > 2) return fmt::format("stages {} to {}", first, last);
  return fmt::format("stages {}", fmt::join(stages, ", "));
}

std::string number_of(const Stage& stage) {
  constexpr std::string_view prefix = "stage";
  return stage.name.substr(prefix.size(), stage.name.find('_') - prefix.size());
}

std::string told_of(const Scenario& scenario, const std::vector<Stage>& stages) {
  Groups groups;
  for (const auto& stage : stages) {
    const auto found = stage.declared.find(scenario.name);
    if (found != stage.declared.end()) add_to(groups, fares(found->second), number_of(stage));
  }
  std::string text;
  for (const auto& [how, members] : groups) {
    text += fmt::format("- {}: {}\n", numbers(members), how);
  }
  return text;
}

std::string turns_shown_by(const Scenario& scenario, const std::vector<Stage>& wrong_turns) {
  std::string text;
  for (const auto& turn : wrong_turns) {
    const auto found = turn.declared.find(scenario.name);
    if (found == turn.declared.end()) continue;
    text +=
        fmt::format("- wrong turn [{0}](../{1}): breaks {2}\n", turn.directory.filename().native(),
                    turn.name.substr(0, turn.name.find('/')) + "/wrong_turns/" +
                        turn.directory.filename().native(),
                    words(found->second.broken));
  }
  return text;
}

}  // namespace

std::string catalogue(const std::vector<Scenario>& scenarios, const std::vector<Stage>& stages,
                      const std::vector<Stage>& wrong_turns) {
  std::string text;
  for (const auto& scenario : scenarios) {
    const auto sweep = scenario.sweep ? fmt::format(" A sweep: at every boundary of {}.",
                                                    scenario.sweep->operation)
                                      : "";
    text += fmt::format("\n## {0}\n\n[{0}.cpp](../faults/scenarios/{0}.cpp): {1}.{2}\n\n",
                        scenario.name, scenario.sentence, sweep);
    text += fmt::format("- judged: {}\n", words(scenario.judged));
    text += told_of(scenario, stages) + turns_shown_by(scenario, wrong_turns);
  }
  return text + '\n';
}

}  // namespace workshop
