// Leaves out orders that switch often from one client to another, for locks that have too many
// orders: on a quorum a client has a command in flight to each server.
//
// A client sends the first by name of the commands that it could send, and continues until it
// cannot. Another event although the client could continue is a switch; so is time, however far it
// advances, and a client that begins. (Bounded preemption, as in M. Musuvathi, S. Qadeer: Iterative
// context bounding for systematic testing of multithreaded programs, PLDI 2007.)
//
// Thread-safety: none; one thread. One for each run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faults/explore/world/event.h"

namespace explore {

class SwitchLimit {
 public:
  // No `most`: no limit. `in_order`, or with a limit: a client's commands are sent in the order of
  // their names.
  SwitchLimit(std::optional<int> most, bool in_order) : left_(most), in_order_(in_order || most) {}

  // Those of `events` that may be chosen, in the same order.
  [[nodiscard]] std::vector<Event> allowed(std::vector<Event> events);
  // What it will allow depends on this alone, and on the events.
  [[nodiscard]] std::string state() const;
  // One of them was chosen.
  void chosen(const Event& event);

 private:
  [[nodiscard]] bool is_switch(const Event& event) const;

  std::optional<int> left_;
  bool in_order_;
  std::string last_client_;
  bool was_time_ = false;
  std::string next_label_;  // of the event that is no switch
};

}  // namespace explore
