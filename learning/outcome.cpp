#include "learning/outcome.h"

#include <algorithm>
#include <array>
#include <utility>

namespace learning {
namespace {

using faults::Property;
using faults::Verdict;

template <typename Items, typename Item>
bool has(const Items& items, const Item& wanted) {
  return std::find(items.begin(), items.end(), wanted) != items.end();
}

std::string what_came(Verdict verdict, const std::vector<Property>& broken) {
  if (verdict == Verdict::holds) return "holds";
  if (has(broken, Property::mutual_exclusion)) return "two inside";
  return has(broken, Property::liveness) ? "stuck" : "something else";
}

std::string what_came(const faults::Judgement& judgement) {
  std::vector<Property> broken;
  for (const auto& finding : judgement.findings) broken.push_back(finding.property);
  return what_came(judgement.verdict, broken);
}

}  // namespace

std::string kind_of_boundary(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, const char*>, 3> kinds{{
      {" was sent, before it was applied", "on the way"},
      {" was answered, before ", "between two commands"},
      {" was applied, before its answer arrived", "before the answer"},
  }};
  for (const auto& [part, kind] : kinds) {
    if (name.find(part) != std::string_view::npos) return kind;
  }
  return {};
}

Outcome outcome_of(const faults::Result& result) {
  Outcome outcome{.what = what_came(result.verdict(), result.broken())};
  for (const auto& telling : result.tellings) {
    if (telling.judgement.verdict != Verdict::violated) continue;
    const auto kind = kind_of_boundary(telling.boundary);
    const bool is_new = !kind.empty() && !has(outcome.where, kind);
    if (is_new && what_came(telling.judgement) == outcome.what) outcome.where.push_back(kind);
  }
  return outcome;
}

}  // namespace learning
