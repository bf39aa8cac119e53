#include "tools/table/cell_text.h"

#include <fmt/format.h>

#include <string_view>

namespace table {
namespace {

using faults::Property;
using faults::Verdict;

// One or two words for a cell; the run has the whole sentence.
std::string_view short_name(Property property) {
  switch (property) {
    case Property::mutual_exclusion: return "two inside";
    case Property::owner_only_release: return "not owner";
    case Property::liveness: return "stuck";
    case Property::truthful_outcomes: return "untrue";
    case Property::owner_only_renewal: return "not owner";
    case Property::holder_was_told: return "not told";
    case Property::bounded_renewal: return "too many";
    case Property::first_come: return "overtaken";
    case Property::rising_tokens: return "token";
    case Property::nothing_left: return "left behind";
  }
  return "?";
}

constexpr auto not_run = "·";
constexpr auto does_not_apply = "–";
constexpr auto it_holds = "✓";
constexpr auto not_as_declared = "(!)";

std::string broken(Property property) {
  return fmt::format("✗ {}", short_name(property));
}

}  // namespace

std::string declared_text(const faults::TestedLock& stage, const std::string& scenario) {
  const auto found = stage.declared.find(scenario);
  if (found == stage.declared.end()) return not_run;
  if (!found->second.does_not_apply.empty()) return does_not_apply;
  return found->second.broken.empty() ? it_holds : broken(found->second.broken.front());
}

std::string cell_text(const Cell& cell) {
  if (!cell.result) return cell.does_not_apply.empty() ? not_run : does_not_apply;
  const auto& result = *cell.result;
  const auto verdict = result.verdict();
  std::string text = "? " + std::string(faults::to_string(verdict));
  if (verdict == Verdict::holds) {
    text = fmt::format("{}{}", it_holds, result.shown().judgement.is_refusal() ? " refused" : "");
  }
  if (verdict == Verdict::violated) {
    text = broken(result.shown().judgement.findings.front().property);
  }
  return cell.difference.empty() ? text : fmt::format("{} {}", text, not_as_declared);
}

std::vector<std::string> legend() {
  return {fmt::format("{} holds", it_holds),
          broken(Property::mutual_exclusion) + ": a write was lost",
          broken(Property::liveness) + ": nobody gets in any more",
          broken(Property::holder_was_told) + ": the holder did not hear of its loss",
          fmt::format("{} does not apply", does_not_apply),
          fmt::format("{} not run", not_run),
          "? inconclusive, ? not exercised: nothing was shown, run it again",
          std::string(not_as_declared) + " not as declared"};
}

}  // namespace table
