#include "tools/table/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tools/terminal/console.h"

namespace table {

using faults::Verdict;
using nlohmann::json;

int exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds: return exit_holds;
    case Verdict::violated: return exit_violated;
    case Verdict::not_exercised:
    case Verdict::inconclusive: break;
  }
  return exit_not_shown;
}

json to_json(const faults::Result& result, const std::string& difference) {
  json broken = json::array();
  for (const auto property : result.broken()) broken.push_back(faults::to_string(property));
  json executions = json::array();
  for (const auto& execution : result.executions) {
    json findings = json::array();
    for (const auto& finding : execution.judgement.findings) {
      findings.push_back({{"property", faults::to_string(finding.property)},
                          {"sentence", finding.sentence},
                          {"evidence", finding.evidence}});
    }
    json not_judged = json::array();
    for (const auto property : execution.judgement.not_judged) {
      not_judged.push_back(faults::to_string(property));
    }
    executions.push_back({{"boundary", execution.boundary},
                          {"verdict", faults::to_string(execution.judgement.verdict)},
                          {"sentence", execution.judgement.sentence()},
                          {"findings", findings},
                          {"not_judged", not_judged},
                          {"history", execution.history.native()}});
  }
  json object{{"stage", result.stage},
              {"scenario", result.scenario},
              {"verdict", faults::to_string(result.verdict())},
              {"broken", broken},
              {"at", result.broken_at()},
              {"as_declared", difference.empty()},
              {"run", result.directory.native()},
              {"tellings", executions}};
  if (!result.lock.empty()) object["lock"] = result.lock;
  if (!difference.empty()) object["difference"] = difference;
  return object;
}

faults::Result run_showing_progress(const faults::Stage& stage, const faults::Scenario& scenario,
                                    const faults::RunPlan& plan, faults::Reaper& reaper) {
  terminal::Progress progress(fmt::format("running {} on {}", scenario.name, stage.name));
  auto heard = plan;
  heard.say = [&progress](const std::string& sentence) { progress.say(sentence); };
  return faults::run(stage, scenario, heard, reaper);
}

faults::RunPlan plan_for(const Options& options, faults::Reaper& reaper) {
  auto redis = faults::find_redis();
  auto version = faults::version_of(redis, reaper);
  return {.redis = std::move(redis),
          .runs = terminal::as_seen_from_here(options.runs),
          .redis_version = std::move(version)};
}

}  // namespace table
