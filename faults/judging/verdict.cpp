#include "faults/judging/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "faults/kit/errors.h"

namespace faults {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds: return "holds";
    case Verdict::violated: return "violated";
    case Verdict::not_exercised: return "not exercised";
    case Verdict::inconclusive: return "inconclusive";
  }
  return "?";
}

std::string_view to_string(Property property) {
  switch (property) {
    case Property::mutual_exclusion: return "mutual exclusion";
    case Property::owner_only_release: return "owner-only release";
    case Property::liveness: return "liveness";
    case Property::truthful_outcomes: return "truthful outcomes";
    case Property::owner_only_renewal: return "owner-only renewal";
    case Property::holder_was_told: return "holder was told";
    case Property::first_come: return "first come, first served";
    case Property::bounded_renewal: return "bounded renewal";
    case Property::rising_tokens: return "rising tokens";
    case Property::nothing_left: return "nothing left behind";
  }
  return "?";
}

Property property_from(std::string_view text) {
  std::vector<std::string_view> known;
  for (const auto property :
       {Property::mutual_exclusion, Property::owner_only_release, Property::liveness,
        Property::truthful_outcomes, Property::owner_only_renewal, Property::holder_was_told,
        Property::bounded_renewal, Property::first_come, Property::rising_tokens,
        Property::nothing_left}) {
    if (to_string(property) == text) return property;
    known.push_back(to_string(property));
  }
  throw CannotRun(fmt::format("\"{}\" is not a property of a lock: there are {}", text,
                              fmt::join(known, "; ")));
}

std::string Judgement::sentence() const {
  if (verdict == Verdict::holds) return why.empty() ? "every property stood" : why;
  return verdict == Verdict::violated ? findings.front().sentence : why;
}

}  // namespace faults
