// The point of no return of an order that breaks a property: the first step after which every way
// on breaks it, and what could have been chosen instead of that step.
//
// A way on has no further fault. Exact: after the step every way on is run, but for those that lead
// to a state that was met (states/state_graph.h).
//
// Thread-safety: none; one thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "faults/explore/search/search.h"

namespace explore {

struct LastChance {
  std::size_t step = 0;              // the point of no return: it counts from 1; 0: the beginning
  std::string chosen;                // that step
  std::vector<std::string> instead;  // the events in its place after which some way on holds
  // The nearest order that holds: the same steps before that one, then others.
  std::vector<std::string> neighbour = {};
};

// `steps` break `property`, which can be seen after the last of them. Nothing: that takes longer
// than `budget`. Throws as `search` does.
[[nodiscard]] std::optional<LastChance> last_chance(Controller& controller,
                                                    const std::vector<std::string>& steps,
                                                    faults::Property property,
                                                    std::chrono::milliseconds budget);

// "after step 14 (A: freeze) nothing could save it; at step 14 …", on one line.
[[nodiscard]] std::string describe(const LastChance& chance);

// The same within 20 s. Nothing, too, if the program does not do the same each time.
[[nodiscard]] std::optional<LastChance> last_chance_in_time(Controller& controller,
                                                            const std::vector<std::string>& steps,
                                                            faults::Property property);

// That of the first finding of a run that was made. Nothing: it breaks nothing, or it is not known.
[[nodiscard]] std::optional<LastChance> last_chance_of(Controller& controller, const Run& run);

// As a line; empty: nothing.
[[nodiscard]] std::string line_of(const std::optional<LastChance>& chance);

}  // namespace explore
