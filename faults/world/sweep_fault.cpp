#include "faults/world/sweep_fault.h"

#include <thread>
#include <utility>

namespace faults {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Fault SweepFault::arm(Client& client, Action action, milliseconds delay) const {
  return arm_at(
      client,
      {.direction = boundary_.direction, .nth = boundary_.nth, .command = boundary_.command},
      action, delay);
}

Fault SweepFault::arm_by_place(Client& client, Action action) const {
  return arm_at(client, {.direction = boundary_.direction, .nth = boundary_.place}, action, {});
}

Fault SweepFault::arm_at(Client& client, FaultPoint point, Action action,
                         milliseconds delay) const {
  if (boundary_.role == Role::deciding) {
    // The last ones; if the deciding one is among them, the one before them.
    auto others = servers_.minority();
    for (auto i = servers_.size(); i-- > 0 && others > 0;) {
      if (i == boundary_.node) continue;
      servers_.kill(i);
      --others;
    }
  }
  return client.lock_link(boundary_.node).arm(std::move(point), action, delay);
}

void SweepFault::deliver(Client& client, Fault& held) const {
  const auto deadline = steady_clock::now() + timing_.wait_limit();
  const auto& link = client.lock_link(boundary_.node);
  const auto sent = link.commands_seen().size();
  held.deliver();
  while (boundary_.more_follows && link.commands_seen().size() == sent &&
         steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  wait_for_.replies(client);
}

}  // namespace faults
