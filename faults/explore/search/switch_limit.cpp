#include "faults/explore/search/switch_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace explore {

std::vector<Event> SwitchLimit::allowed(std::vector<Event> events) {
  if (!in_order_) return events;
  // Only the first event of each client stays, and a slow message, which may come at any time.
  std::set<std::string> seen;
  std::erase_if(events, [&](const Event& event) {
    const bool is_step = !is_fault(event.kind) && !event.is_slow && !event.client.empty();
    return is_step && !seen.insert(event.client).second;
  });
  if (!left_) return events;
  const auto continues = [this](const Event& event) {
    const bool is_step = !is_fault(event.kind) && !event.is_slow && !ends_a_fault(event.kind);
    return is_step && event.client == last_client_;
  };
  const auto own = std::find_if(events.begin(), events.end(), continues);
  const auto another =
      std::find_if(events.begin(), events.end(), [](const Event& event) { return !event.is_slow; });
  const auto next = own != events.end() ? own : another;
  next_label_ = next == events.end() ? "" : next->label;
  if (*left_ > 0) return events;
  std::erase_if(events, [this](const Event& event) { return is_switch(event); });
  return events;
}

std::string SwitchLimit::state() const {
  if (!left_) return {};
  return fmt::format("; {} switches from {}{}", *left_, last_client_, was_time_ ? " in time" : "");
}

bool SwitchLimit::is_switch(const Event& event) const {
  const bool goes_further = event.kind == EventKind::advance && was_time_;
  return !is_fault(event.kind) && event.label != next_label_ && !goes_further;
}

void SwitchLimit::chosen(const Event& event) {
  if (!left_ || is_fault(event.kind)) return;
  if (is_switch(event)) --*left_;
  was_time_ = event.kind == EventKind::advance;
  if (!event.client.empty()) last_client_ = event.client;
}

}  // namespace explore
