// `lab list`: stages and scenarios, one line each.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "faults/scenario.h"
#include "workshop/commands.h"
#include "workshop/stages.h"

namespace workshop {

int list(const Options& options) {
  const auto stages = all_stages();
  if (options.json) {
    nlohmann::json object{{"stages", nlohmann::json::array()},
                          {"scenarios", nlohmann::json::array()}};
    for (const auto& stage : stages) {
      object["stages"].push_back({{"name", stage.name}, {"adds", stage.adds}});
    }
    for (const auto& scenario : faults::all_scenarios()) {
      object["scenarios"].push_back({{"name", scenario.name}, {"sentence", scenario.sentence}});
    }
    std::cout << object.dump(2) << '\n';
    return exit_holds;
  }
  std::cout << options.paint.bold("stages") << '\n';
  for (const auto& stage : stages) {
    std::cout << fmt::format("  {:<20} {}\n", stage.name, stage.adds);
  }
  std::cout << options.paint.bold("scenarios") << '\n';
  for (const auto& scenario : faults::all_scenarios()) {
    std::cout << fmt::format("  {:<20} {}\n", scenario.name, scenario.sentence);
  }
  return exit_holds;
}

}  // namespace workshop
