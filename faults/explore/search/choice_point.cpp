#include "faults/explore/search/choice_point.h"

#include <algorithm>
#include <utility>

namespace explore {

std::size_t ChoicePoint::next_from(std::size_t choice) const {
  while (choice < end && sleeping.has(events[choice])) ++choice;
  return std::min(choice, end);
}

ChoicePoint choice_point_after(const std::vector<ChoicePoint>& path, std::vector<Event> events,
                               const SearchPlan& plan) {
  ChoicePoint point{.events = std::move(events)};
  point.end = point.events.size();
  if (!path.empty() && plan.leaves_out_what_sleeps()) {
    const auto& before = path.back();
    point.sleeping = before.sleeping.after(before.events, before.chosen);
  }
  point.chosen = point.next_from(0);
  return point;
}

bool backtrack(std::vector<ChoicePoint>& path, std::size_t fixed) {
  while (path.size() > fixed) {
    auto& last = path.back();
    last.chosen = last.next_from(last.chosen + 1);
    if (last.chosen < last.end) return true;
    path.pop_back();
  }
  return false;
}

}  // namespace explore
