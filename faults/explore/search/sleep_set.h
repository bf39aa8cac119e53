// Leaves out orders that differ from others only in the order of two events that commute.
//
// A client's message to one server and another client's to another server lead to the same place in
// whichever order they happen; so does the arrival of an answer and what another client does. Once
// all that begins with the first of them has been searched, it *sleeps* behind the second, until
// something happens with which it does not commute. (P. Godefroid: Partial-Order Methods for the
// Verification of Concurrent Systems, LNCS 1032, 1996, chapter 5.)
//
// Thread-safety: values.
#pragma once

#include <string>
#include <vector>

#include "faults/explore/world/event.h"

namespace explore {

// Do they lead to the same place in both orders, and is the same offered there? Of faults, of time
// and of a client that begins the answer is no: what is offered depends on the step before.
[[nodiscard]] bool commute(const Event& one, const Event& other);

class SleepSet {
 public:
  // Nothing sleeps.
  SleepSet() = default;

  [[nodiscard]] bool has(const Event& event) const;
  // The set behind the choice of `events[chosen]`, where those before it have been searched.
  [[nodiscard]] SleepSet behind(const std::vector<Event>& events, std::size_t chosen) const;

 private:
  std::vector<Event> sleeping_;
};

}  // namespace explore
