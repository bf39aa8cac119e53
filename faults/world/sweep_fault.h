// The fault of a sweep: the boundary it is put at this time, and how a scenario arms it there.
//
// Thread-safety: none; the scenario's thread uses it.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "faults/kit/client.h"
#include "faults/kit/link.h"
#include "faults/world/lock_servers.h"
#include "faults/world/timing.h"
#include "faults/world/wait_for.h"

namespace faults {

// The role of the server at which a sweep puts its fault.
enum class Role {
  only,        // there are no others, or every one of them is needed
  one_of_all,  // the others are well
  deciding,    // as many others are down as may be: its answer decides
};

// The boundary at which a sweep puts its fault this time. Outside a sweep it is none.
struct SweepBoundary {
  Direction direction = Direction::command;
  // The message at which the fault is put: the nth, from 1, of that command, by its label. Of a
  // renewal, which comes by itself, counted from the acquire; its fault is armed before that.
  int nth = 0;
  std::string command = {};
  int place = 0;              // the same among all messages of the operation in that direction
  bool more_follows = false;  // after this message, the client sends the operation's next command
  std::string name;           // for people: "release, after GET was answered, before DEL was sent"
  Role role = Role::only;
  std::size_t node = 0;  // the server at which the fault is put
};

class SweepFault {
 public:
  SweepFault(SweepBoundary boundary, const Timing& timing, LockServers& servers,
             const WaitFor& wait_for)
      : boundary_(std::move(boundary)), timing_(timing), servers_(servers), wait_for_(wait_for) {}

  // Arms the fault on `client`'s way to the lock's server. Where that is to decide, it first kills
  // as many others as may be missing.
  [[nodiscard]] Fault arm(Client& client, Action action,
                          std::chrono::milliseconds delay = std::chrono::milliseconds(0)) const;
  // The same by its place alone: a client that meets a lock which is held may send other commands
  // than the operation does that was looked at.
  [[nodiscard]] Fault arm_by_place(Client& client, Action action) const;
  // Delivers the message that is held back, and waits until the consequences have happened: the
  // operation's next command, if there is one, and every answer. Throws NotExercised.
  void deliver(Client& client, Fault& held) const;
  // Has the server applied the command when the message is held back?
  [[nodiscard]] bool is_at_reply() const { return boundary_.direction == Direction::reply; }

 private:
  [[nodiscard]] Fault arm_at(Client& client, FaultPoint point, Action action,
                             std::chrono::milliseconds delay) const;

  const SweepBoundary boundary_;
  const Timing& timing_;
  LockServers& servers_;
  const WaitFor& wait_for_;
};

}  // namespace faults
