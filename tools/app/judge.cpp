// `lab judge`: a recorded run, judged again.
#include <iostream>
#include <memory>

#include "faults/running/kept_run.h"
#include "faults/running/result_json.h"
#include "faults/running/run_scenario.h"
#include "tools/app/commands.h"
#include "tools/table/stages.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/shown_run.h"

namespace app {
namespace {

constexpr const char* judge_examples =
    "Examples:\n"
    "  ./lab judge runs/20260102-030405-stage3_set_nx_px-frozen_mid_release\n"
    "\n"
    "Exit codes: 0 holds, 1 violated, 2 could not judge, 3 nothing was shown.";

std::string difference(const faults::Result& result) {
  auto known = table::all_stages();
  for (auto& relative : table::all_relatives()) known.push_back(std::move(relative));
  for (const auto& stage : known) {
    if (stage.name == result.stage) return faults::difference_from_declared(stage, result);
  }
  return {};
}

int judge_run(const terminal::Options& options, const std::filesystem::path& run_directory) {
  const auto result = faults::judge_again(run_directory);
  if (options.json) {
    std::cout << faults::as_json(result, difference(result)).dump(2) << '\n';
  } else {
    std::cout << terminal::told(result, options);
  }
  return terminal::exit_code(result.verdict());
}

}  // namespace

Command judge_command(CLI::App& lab, Shared& shared) {
  const auto run = std::make_shared<std::filesystem::path>();
  auto* line = lab.add_subcommand("judge", "judges a recorded run again");
  line->footer(judge_examples);
  line->add_option("run", *run, "the directory that a run left, below runs/")->required();
  add_json_flag(*line, shared);
  return {.line = line, .question = "which run? a directory in runs/", .run = [run, &shared] {
            return judge_run(shared.options, *run);
          }};
}

}  // namespace app
