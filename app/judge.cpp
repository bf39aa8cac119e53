// `lab judge`: a recorded run, judged again.
#include <iostream>

#include "app/commands.h"
#include "faults/running/describe.h"
#include "faults/running/kept_run.h"
#include "faults/running/run.h"
#include "table/options.h"
#include "table/results.h"
#include "table/stages.h"

namespace app {
namespace {

std::string difference(const faults::Result& result) {
  auto known = table::all_stages();
  for (auto& relative : table::all_relatives()) known.push_back(std::move(relative));
  for (const auto& stage : known) {
    if (stage.name == result.stage) return faults::difference_from_declared(stage, result);
  }
  return {};
}

}  // namespace

int judge(const table::Options& options, const std::filesystem::path& run_directory) {
  const auto result = faults::judge_again(run_directory);
  if (options.json) {
    std::cout << table::to_json(result, difference(result)).dump(2) << '\n';
  } else {
    std::cout << faults::describe_result(result, options.paint);
  }
  return table::exit_code(result.verdict());
}

}  // namespace app
