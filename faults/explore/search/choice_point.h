// A step of a search at which several events could happen, and the path of such steps that leads to
// an order.
//
// Thread-safety: values.
#pragma once

#include <cstddef>
#include <vector>

#include "faults/explore/search/search.h"
#include "faults/explore/search/sleep_set.h"

namespace explore {

struct ChoicePoint {
  std::vector<Event> events;
  SleepSet sleeping;
  std::size_t chosen = 0;
  std::size_t end = 0;  // the events from here on belong to another worker

  // The first event from there on that does not sleep; `end`: there is none.
  [[nodiscard]] std::size_t next_from(std::size_t choice) const;
};

// The choice point after `path` at which `events` can happen, with its first choice.
[[nodiscard]] ChoicePoint choice_point_after(const std::vector<ChoicePoint>& path,
                                             std::vector<Event> events, const SearchPlan& plan);
// Takes the next choice at the last choice point that has one left, and cuts the path there. The
// first `fixed` stay as they are. False: no choice is left.
[[nodiscard]] bool backtrack(std::vector<ChoicePoint>& path, std::size_t fixed = 0);

}  // namespace explore
