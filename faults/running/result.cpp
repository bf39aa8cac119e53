#include "faults/running/result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "faults/running/boundaries.h"
#include "faults/scenarios/scenario.h"

namespace faults {
namespace {

std::string joined_names(std::vector<Property> properties) {
  std::vector<std::string_view> names;
  for (const auto property : properties) names.push_back(to_string(property));
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

// An execution that shows nothing; empty: there is none.
std::string first_inconclusive(const Result& result) {
  for (const auto& execution : result.executions) {
    const auto verdict = execution.judgement.verdict;
    if (verdict == Verdict::holds || verdict == Verdict::violated) continue;
    return fmt::format("{}{}{}: {}", to_string(verdict), execution.boundary.empty() ? "" : " at ",
                       execution.boundary, execution.judgement.why);
  }
  return {};
}

std::string difference_in_commands(const TestedLock& lock, const Result& result) {
  const auto* scenario = find_scenario(result.scenario);
  if (scenario == nullptr || !scenario->sweep || result.commands == 0) return {};
  const auto wire = lock.commands_on_the_wire.find(scenario->sweep->operation);
  if (wire != lock.commands_on_the_wire.end() && wire->second == result.commands) return {};
  return fmt::format("{} sent {} commands, and that is not what is declared",
                     scenario->sweep->operation, result.commands);
}

}  // namespace

Verdict Result::verdict() const {
  for (const auto verdict : {Verdict::violated, Verdict::inconclusive, Verdict::not_exercised}) {
    for (const auto& execution : executions) {
      if (execution.judgement.verdict == verdict) return verdict;
    }
  }
  return executions.empty() ? Verdict::not_exercised : Verdict::holds;
}

const Execution& Result::shown() const {
  const Execution* first = nullptr;
  for (const auto& execution : executions) {
    if (execution.judgement.verdict != verdict()) continue;
    if (execution.boundary.find(between_two_commands) != std::string::npos) return execution;
    if (first == nullptr) first = &execution;
  }
  return *first;
}

std::vector<Property> Result::broken() const {
  std::vector<Property> properties;
  for (const auto& execution : executions) {
    for (const auto& finding : execution.judgement.findings) {
      if (std::find(properties.begin(), properties.end(), finding.property) == properties.end()) {
        properties.push_back(finding.property);
      }
    }
  }
  return properties;
}

std::vector<std::string> Result::broken_at() const {
  std::vector<std::string> boundaries;
  for (const auto& execution : executions) {
    if (execution.judgement.verdict == Verdict::violated && !execution.boundary.empty()) {
      boundaries.push_back(execution.boundary);
    }
  }
  return boundaries;
}

std::string difference_from_declared(const TestedLock& lock, const Result& result) {
  if (lock.facts) return {};  // nobody has declared anything
  const auto found = lock.declared.find(result.scenario);
  if (found == lock.declared.end()) {
    return fmt::format("{}/declared.json says nothing about {}", lock.name, result.scenario);
  }
  if (result.executions.empty()) return "the scenario was not run, so nothing was shown";
  const auto& declared = found->second;
  if (auto inconclusive = first_inconclusive(result); !inconclusive.empty()) return inconclusive;
  const auto expected = joined_names(declared.broken);
  const auto seen = joined_names(result.broken());
  if (expected != seen) {
    return fmt::format("declared broken: [{}]; seen broken: [{}]", expected, seen);
  }
  if (declared.boundaries != result.broken_at()) {
    return fmt::format("declared to break at [{}]; seen to break at [{}]",
                       fmt::join(declared.boundaries, "; "), fmt::join(result.broken_at(), "; "));
  }
  return difference_in_commands(lock, result);
}

}  // namespace faults
