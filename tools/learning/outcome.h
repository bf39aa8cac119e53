// The outcome of a run, in the words in which one guesses before it: what, and where it breaks.
//
// Thread-safety: values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faults/running/run_scenario.h"

namespace learning {

struct Outcome {
  // "holds", "two inside: A and B", "stuck" or "something else".
  std::string what = "something else";
  // The kinds of boundary at which a sweep breaks, each once. A kind is
  // "on the way", "between two commands" or "before the answer".
  std::vector<std::string> where = {};

  [[nodiscard]] bool is_two_inside() const;
};

// The worst that came of any telling, and where it did. Of two inside: those whom the telling shows
// that is shown, if it does.
[[nodiscard]] Outcome outcome_of(const faults::Result& result);

// The same of one recorded run. Two inside counts here even if the run is *not exercised*.
[[nodiscard]] Outcome outcome_of(const faults::Record& record);

// "two inside: A and B", in whichever order they are named.
[[nodiscard]] std::string two_inside(std::string one, std::string other);

// The kind of a boundary, by the name that the kit gives it ("release, after GET was answered,
// before DEL was sent"); empty for one that has none.
[[nodiscard]] std::string kind_of_boundary(std::string_view name);

}  // namespace learning
