// Leaves out orders that switch often from one client to another, for locks of which there are too
// many orders: on a quorum a client has a command under way to each server.
//
// A client sends the first by name of the commands that it could send, and goes on until it
// cannot. To leave it although it could is a switch; to let time go on or to begin a client
// meanwhile is one, too, however far it goes. (Bounded preemption, as in M. Musuvathi, S. Qadeer:
// Iterative context bounding for systematic testing of multithreaded programs, PLDI 2007.)
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
  // No `most`: no limit. `in_order`, or with a limit: of the commands that a client could send the
  // first by name is sent first.
  SwitchLimit(std::optional<int> most, bool in_order) : left_(most), in_order_(in_order || most) {}

  // Those of `events` that may be chosen, in the same order.
  [[nodiscard]] std::vector<Event> allowed(std::vector<Event> events);
  // Tells it which of them was chosen.
  void chosen(const Event& event);

 private:
  [[nodiscard]] bool is_switch(const Event& event) const;

  std::optional<int> left_;
  bool in_order_;
  std::string last_client_;
  bool time_went_on_ = false;
  std::string goes_on_;  // the label of the event that is no switch
};

}  // namespace explore
