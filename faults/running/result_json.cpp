#include "faults/running/result_json.h"

namespace faults {
namespace {

using nlohmann::json;

json names_of(const std::vector<Property>& properties) {
  auto names = json::array();
  for (const auto property : properties) names.push_back(to_string(property));
  return names;
}

json as_json(const Execution& execution) {
  auto findings = json::array();
  for (const auto& finding : execution.judgement.findings) {
    findings.push_back({{"property", to_string(finding.property)},
                        {"sentence", finding.sentence},
                        {"evidence", finding.evidence}});
  }
  return {{"boundary", execution.boundary},
          {"verdict", to_string(execution.judgement.verdict)},
          {"sentence", execution.judgement.sentence()},
          {"findings", findings},
          {"not_judged", names_of(execution.judgement.not_judged)},
          {"history", execution.history.native()}};
}

}  // namespace

json as_json(const Result& result, const std::string& difference) {
  auto executions = json::array();
  for (const auto& execution : result.executions) executions.push_back(as_json(execution));
  json object{{"stage", result.stage},
              {"scenario", result.scenario},
              {"verdict", to_string(result.verdict())},
              {"broken", names_of(result.broken())},
              {"at", result.broken_at()},
              {"as_declared", difference.empty()},
              {"run", result.directory.native()},
              {"tellings", executions}};
  if (!result.lock.empty()) object["lock"] = result.lock;
  if (!result.left_out.empty()) object["left_out"] = result.left_out;
  if (!difference.empty()) object["difference"] = difference;
  return object;
}

}  // namespace faults
