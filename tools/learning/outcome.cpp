#include "tools/learning/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "faults/judging/judge.h"
#include "faults/judging/properties.h"
#include "faults/running/boundaries.h"

namespace learning {
namespace {

using faults::Property;
using faults::Verdict;

// The outcome of one telling, if that is the breaking of `property`; empty otherwise.
std::string what_came(const faults::Judgement& judgement, Property property) {
  for (const auto& finding : judgement.findings) {
    if (finding.property != property) continue;
    if (property == Property::liveness) return "stuck";
    return two_inside(finding.inside.at(0), finding.inside.at(1));
  }
  return {};
}

constexpr std::array worst_first{Property::mutual_exclusion, Property::liveness};

std::string what_came(const faults::Judgement& judgement) {
  for (const auto property : worst_first) {
    if (auto what = what_came(judgement, property); !what.empty()) return what;
  }
  return judgement.verdict == Verdict::holds ? "holds" : "something else";
}

std::string worst_of(const faults::Result& result) {
  if (result.verdict() == Verdict::holds) return "holds";
  std::vector<const faults::Execution*> tellings;
  if (!result.executions.empty()) tellings.push_back(&result.shown());
  for (const auto& telling : result.executions) tellings.push_back(&telling);
  for (const auto property : worst_first) {
    for (const auto* telling : tellings) {
      if (auto what = what_came(telling->judgement, property); !what.empty()) return what;
    }
  }
  return "something else";
}

}  // namespace

bool Outcome::is_two_inside() const {
  return what.starts_with("two inside");
}

std::string two_inside(std::string one, std::string other) {
  if (other < one) std::swap(one, other);
  return fmt::format("two inside: {} and {}", one, other);
}

std::string kind_of_boundary(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, const char*>, 3> kinds{{
      {faults::before_it_was_applied, "on the way"},
      {faults::between_two_commands, "between two commands"},
      {faults::before_its_answer, "before the answer"},
  }};
  for (const auto& [part, kind] : kinds) {
    if (name.find(part) != std::string_view::npos) return kind;
  }
  return {};
}

Outcome outcome_of(const faults::Result& result) {
  Outcome outcome{.what = worst_of(result)};
  auto& where = outcome.where;
  for (const auto& telling : result.executions) {
    const auto kind = kind_of_boundary(telling.boundary);
    const bool came_here = telling.judgement.verdict == Verdict::violated &&
                           what_came(telling.judgement) == outcome.what;
    if (!came_here || kind.empty()) continue;
    if (std::find(where.begin(), where.end(), kind) == where.end()) where.push_back(kind);
  }
  return outcome;
}

Outcome outcome_of(const faults::Record& record) {
  auto judgement = faults::judge(record);
  // A lock that never asks a server has not been tested; its clients were inside all the same.
  if (judgement.verdict == Verdict::not_exercised) {
    judgement.findings = faults::judge_mutual_exclusion(faults::Trace(record));
  }
  Outcome outcome{.what = what_came(judgement)};
  const auto kind = kind_of_boundary(record.front().data.value("boundary", std::string()));
  if (!kind.empty()) outcome.where.push_back(kind);
  return outcome;
}

}  // namespace learning
