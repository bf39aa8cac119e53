#include "faults/explore/search/choice_point.h"

#include <algorithm>
#include <utility>

namespace explore {

std::size_t ChoicePoint::next_from(std::size_t choice) const {
  const auto is_left_out = [this](std::size_t i) {
    return (!mine.empty() && !mine[i]) || sleeping.has(events[i]);
  };
  while (choice < end && is_left_out(choice)) ++choice;
  return std::min(choice, end);
}

ChoicePoint choice_point_after(const std::vector<ChoicePoint>& path, std::vector<Event> events,
                               const SearchPlan& plan) {
  ChoicePoint point{.events = std::move(events)};
  point.end = point.events.size();
  if (!path.empty() && plan.leaves_out_what_sleeps()) {
    const auto& before = path.back();
    point.sleeping = before.sleeping.after(before.events, before.chosen, before.mine);
  }
  point.chosen = point.next_from(0);
  return point;
}

std::vector<std::string> names_in_graph(const std::vector<Event>& events, bool may_have_two_faults,
                                        const std::string& last_step, const ServerNames& servers) {
  std::vector<std::string> names;
  for (const auto& event : events) {
    const bool depends = may_have_two_faults && is_fault(event.kind);
    names.push_back(servers.in(depends ? event.label + " behind " + last_step : event.label));
  }
  return names;
}

std::string label_in(const std::string& name) {
  return name.substr(0, name.find(" behind "));
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
