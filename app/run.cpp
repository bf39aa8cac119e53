// `lab run`: one stage against scenarios.
#include "faults/running/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "app/commands.h"
#include "faults/running/describe.h"
#include "table/options.h"
#include "table/results.h"
#include "table/stages.h"

namespace app {
namespace {

constexpr const char* examples =
    "Examples:\n"
    "  ./lab run 3 frozen_mid_release             one scenario, with its timeline\n"
    "  ./lab run 5 late_renewal hung_holder       two of them\n"
    "  ./lab run 5 reply_lost                     all whose names begin so\n"
    "  ./lab run 4                                every scenario\n"
    "  ./lab run counts_up                        a wrong turn: what shows what is wrong with it\n"
    "\n"
    "Exit codes: 0 holds, 1 violated, 2 could not run, 3 nothing was shown.\n"
    "./lab list names the stages, the wrong turns and the scenarios.";

// Violated outweighs what was not shown, which outweighs what holds.
int worse_of(int a, int b) {
  if (a == table::exit_violated || b == table::exit_violated) return table::exit_violated;
  return std::max(a, b);
}

int run_scenarios(const table::Options& options, const std::string& stage_name,
                  const std::vector<std::string>& scenario_names, faults::Reaper& reaper) {
  const auto stage = table::stage_named(stage_name);
  std::vector<const faults::Scenario*> scenarios;
  for (const auto& name : scenario_names) {
    for (const auto* scenario : table::scenarios_named(name)) scenarios.push_back(scenario);
  }
  if (scenario_names.empty()) {
    for (const auto& scenario : faults::all_scenarios()) {
      // A wrong turn declares only what shows it.
      const bool shown = stage.turned_from.empty() || stage.declared.contains(scenario.name);
      if (shown) scenarios.push_back(&scenario);
    }
  }
  const auto plan = table::plan_for(options, reaper);
  auto results = nlohmann::json::array();
  int code = table::exit_holds;
  std::string summary;
  bool told = false;
  for (const auto* scenario : scenarios) {
    const auto declared = stage.declared.find(scenario->name);
    if (declared != stage.declared.end() && !declared->second.does_not_apply.empty()) {
      std::cerr << stage.name << " · " << scenario->name
                << "   does not apply: " << declared->second.does_not_apply << '\n';
      summary += fmt::format("  {:<20} does not apply\n", scenario->name);
      results.push_back({{"stage", stage.name},
                         {"scenario", scenario->name},
                         {"does_not_apply", declared->second.does_not_apply}});
      continue;
    }
    const auto result = table::run_showing_progress(stage, *scenario, plan, reaper);
    told = true;
    code = worse_of(code, table::exit_code(result.verdict()));
    summary += fmt::format("  {:<20} {}\n", scenario->name, faults::to_string(result.verdict()));
    if (options.json) {
      results.push_back(table::to_json(result, faults::difference_from_declared(stage, result)));
    } else {
      std::cout << (scenario == scenarios.front() ? "" : "\n")
                << faults::describe_result(result, options.paint) << std::flush;
    }
  }
  if (options.json) std::cout << results.dump(2) << '\n';
  if (!options.json && scenarios.size() > 1) std::cout << '\n' << summary;
  return told ? code : table::exit_not_shown;
}

}  // namespace

Command run_command(CLI::App& lab, Shared& shared) {
  struct Chosen {
    std::string stage;
    std::vector<std::string> scenarios;
  };
  const auto chosen = std::make_shared<Chosen>();
  auto* line = lab.add_subcommand("run", "one stage against one, some or all scenarios");
  line->footer(examples);
  line->add_option("stage", chosen->stage,
                   "such as stage3_set_nx_px, stage3 or 3, or a wrong turn's name")
      ->required();
  line->add_option("scenario", chosen->scenarios, "such as frozen_mid_release; all if left out");
  add_json_flag(*line, shared);
  return {.line = line,
          .question = "which stage? such as ./lab run 3 frozen_mid_release",
          .run = [chosen, &shared] {
            return with_reaper([&](faults::Reaper& reaper) {
              return run_scenarios(shared.options, chosen->stage, chosen->scenarios, reaper);
            });
          }};
}

}  // namespace app
