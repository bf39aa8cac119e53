// `lab run`: one stage against scenarios.
#include "faults/running/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

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
    "  ./lab run 5 reply_lost                     all of that family\n"
    "  ./lab run 4                                every scenario\n"
    "  ./lab run counts_up                        a wrong turn: the scenarios that show it\n"
    "\n"
    "Exit codes: 0 holds, 1 violated, 2 could not run, 3 nothing was shown.\n"
    "./lab list names the stages, the wrong turns and the scenarios.";

// Violated outweighs what was not shown, which outweighs what holds.
int worse_of(int a, int b) {
  if (a == table::exit_violated || b == table::exit_violated) return table::exit_violated;
  return std::max(a, b);
}

std::vector<const faults::Scenario*> all_scenarios_of(const faults::Stage& stage) {
  std::vector<const faults::Scenario*> scenarios;
  for (const auto& scenario : faults::all_scenarios()) {
    // A wrong turn declares only the scenarios that show its fault.
    const bool shown = stage.turned_from.empty() || stage.declared.contains(scenario.name);
    if (shown) scenarios.push_back(&scenario);
  }
  return scenarios;
}

std::vector<const faults::Scenario*> chosen_scenarios(const faults::Stage& stage,
                                                      const std::vector<std::string>& names) {
  if (names.empty()) return all_scenarios_of(stage);
  std::vector<const faults::Scenario*> scenarios;
  for (const auto& name : names) {
    for (const auto* scenario : table::scenarios_named(name)) scenarios.push_back(scenario);
  }
  return scenarios;
}

// Why `scenario` does not apply to `stage`; empty if it does.
std::string why_not(const faults::Stage& stage, const faults::Scenario& scenario) {
  const auto declared = stage.declared.find(scenario.name);
  return declared == stage.declared.end() ? std::string() : declared->second.does_not_apply;
}

// Runs one scenario after another, prints each result, and keeps what the end needs.
class Series {
 public:
  Series(const table::Options& options, const faults::Stage& stage)
      : options_(options), stage_(stage) {}

  void skip(const faults::Scenario& scenario, const std::string& reason) {
    std::cerr << stage_.name << " · " << scenario.name << "   does not apply: " << reason << '\n';
    summary_ += fmt::format("  {:<20} does not apply\n", scenario.name);
    results_.push_back(
        {{"stage", stage_.name}, {"scenario", scenario.name}, {"does_not_apply", reason}});
  }

  void run(const faults::Scenario& scenario, const faults::RunPlan& plan, faults::Reaper& reaper) {
    const auto result = table::run_showing_progress(stage_, scenario, plan, reaper);
    const auto verdict = result.verdict();
    code_ = code_ ? worse_of(*code_, table::exit_code(verdict)) : table::exit_code(verdict);
    summary_ += fmt::format("  {:<20} {}\n", scenario.name, faults::to_string(verdict));
    if (!options_.json) {
      std::cout << (results_.empty() ? "" : "\n") << faults::describe_result(result, options_.paint)
                << std::flush;
    }
    results_.push_back(table::to_json(result, faults::difference_from_declared(stage_, result)));
  }

  // Prints the summary, or the JSON; returns the exit code.
  [[nodiscard]] int finish() const {
    if (options_.json) std::cout << results_.dump(2) << '\n';
    if (!options_.json && results_.size() > 1) std::cout << '\n' << summary_;
    return code_.value_or(table::exit_not_shown);
  }

 private:
  const table::Options& options_;
  const faults::Stage& stage_;
  nlohmann::json results_ = nlohmann::json::array();
  std::string summary_;
  std::optional<int> code_;  // none before the first run
};

int run_scenarios(const table::Options& options, const std::string& stage_name,
                  const std::vector<std::string>& scenario_names, faults::Reaper& reaper) {
  const auto stage = table::stage_named(stage_name);
  const auto scenarios = chosen_scenarios(stage, scenario_names);
  const auto plan = table::plan_for(options, reaper);
  Series series(options, stage);
  for (const auto* scenario : scenarios) {
    const auto reason = why_not(stage, *scenario);
    if (reason.empty()) {
      series.run(*scenario, plan, reaper);
    } else {
      series.skip(*scenario, reason);
    }
  }
  return series.finish();
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
