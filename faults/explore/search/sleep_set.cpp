#include "faults/explore/search/sleep_set.h"

#include <algorithm>

namespace explore {
namespace {

// True if the event concerns one client alone, and at most one server, which carries out its
// message. The end of a fault does. A fault does not: it is offered only after a step of its
// client.
bool is_of_one_client(const Event& event) {
  switch (event.kind) {
    case EventKind::send:
    case EventKind::reply: return !event.is_slow;
    case EventKind::thaw:
    case EventKind::mend: return true;
    default: return false;
  }
}

}  // namespace

bool commute(const Event& one, const Event& other) {
  if (!is_of_one_client(one) || !is_of_one_client(other)) return false;
  const bool both_sent = one.kind == EventKind::send && other.kind == EventKind::send;
  return one.client != other.client && !(both_sent && one.server == other.server);
}

bool SleepSet::has(const Event& event) const {
  return std::any_of(sleeping_.begin(), sleeping_.end(),
                     [&](const Event& other) { return other.label == event.label; });
}

void SleepSet::wake(const Event& event) {
  std::erase_if(sleeping_, [&](const Event& other) { return other.label == event.label; });
}

SleepSet SleepSet::after(const std::vector<Event>& events, std::size_t chosen,
                         const std::vector<bool>& mine) const {
  SleepSet next;
  const auto add = [&](const Event& event) {
    if (commute(event, events[chosen])) next.sleeping_.push_back(event);
  };
  for (const auto& event : sleeping_) add(event);
  for (std::size_t i = 0; i < chosen; ++i) {
    const bool was_searched = mine.empty() || mine[i];
    if (was_searched && !has(events[i])) add(events[i]);
  }
  return next;
}

}  // namespace explore
