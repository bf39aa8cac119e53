// Leaves out orders that differ from others only in the order of two events that commute.
//
// A client's message to one server and another client's message to another server lead to the same
// state in either order; so do the arrival of a reply and another client's step. Once all orders
// that begin with the first of them have been searched, it *sleeps* after the second, until an
// event happens with which it does not commute. (P. Godefroid: Partial-Order Methods for the
// Verification of Concurrent Systems, LNCS 1032, 1996, chapter 5.)
//
// Thread-safety: values.
#pragma once

#include <string>
#include <vector>

#include "faults/explore/world/event.h"

namespace explore {

// True if both orders of them lead to the same state, with the same events to choose from. False
// for faults, for time and for a client that begins: the events then depend on the step before.
[[nodiscard]] bool commute(const Event& one, const Event& other);

class SleepSet {
 public:
  // Nothing sleeps.
  SleepSet() = default;

  [[nodiscard]] bool has(const Event& event) const;
  // The set after the choice of `events[chosen]`, where the events before it have been searched;
  // where `mine` is not empty, only those of which it is true.
  [[nodiscard]] SleepSet after(const std::vector<Event>& events, std::size_t chosen,
                               const std::vector<bool>& mine = {}) const;
  // Wakes the event.
  void wake(const Event& event);

 private:
  std::vector<Event> sleeping_;
};

}  // namespace explore
