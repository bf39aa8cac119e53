// `lab list`: stages, their wrong turns and scenarios.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "faults/scenarios/scenario.h"
#include "table/options.h"
#include "table/results.h"
#include "table/stages.h"

namespace app {
namespace {

constexpr const char* examples =
    "Examples:\n"
    "  ./lab list\n"
    "  ./lab list --json                          for a machine to read";

int list_all(const table::Options& options) {
  const auto stages = table::all_stages();
  const auto turns = table::all_wrong_turns();
  const auto variants = table::all_variants();
  if (options.json) {
    nlohmann::json object{{"stages", nlohmann::json::array()},
                          {"wrong_turns", nlohmann::json::array()},
                          {"variants", nlohmann::json::array()},
                          {"scenarios", nlohmann::json::array()}};
    for (const auto& stage : stages) {
      object["stages"].push_back({{"name", stage.name}, {"adds", stage.adds}});
    }
    for (const auto& turn : turns) {
      object["wrong_turns"].push_back({{"name", turn.name}, {"wrong", turn.adds}});
    }
    for (const auto& variant : variants) {
      object["variants"].push_back({{"name", variant.name}, {"adds", variant.adds}});
    }
    for (const auto& scenario : faults::all_scenarios()) {
      object["scenarios"].push_back({{"name", scenario.name}, {"sentence", scenario.sentence}});
    }
    std::cout << object.dump(2) << '\n';
    return table::exit_holds;
  }
  std::cout << options.paint.bold("stages") << '\n';
  for (const auto& stage : stages) {
    std::cout << fmt::format("  {:<20} {}\n", stage.name, stage.adds);
  }
  if (!turns.empty()) std::cout << options.paint.bold("wrong turns") << '\n';
  for (const auto& turn : turns) {
    std::cout << fmt::format("  {}\n  {:<20} {}\n", turn.name, "", turn.adds);
  }
  if (!variants.empty()) std::cout << options.paint.bold("variants") << '\n';
  for (const auto& variant : variants) {
    std::cout << fmt::format("  {}\n  {:<20} {}\n", variant.name, "", variant.adds);
  }
  std::cout << options.paint.bold("scenarios") << '\n';
  for (const auto& scenario : faults::all_scenarios()) {
    std::cout << fmt::format("  {:<20} {}\n", scenario.name, scenario.sentence);
  }
  return table::exit_holds;
}

}  // namespace

Command list_command(CLI::App& lab, Shared& shared) {
  auto* line = lab.add_subcommand("list", "every stage with its wrong turns, and every scenario");
  line->footer(examples);
  add_json_flag(*line, shared);
  return {.line = line, .question = {}, .run = [&shared] { return list_all(shared.options); }};
}

}  // namespace app
