#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

// On several servers, a minority is down when A asks: then one that forgets is enough to give B a
// majority.
Scenario amnesia() {
  return {.name = "amnesia",
          .sentence =
              "a server that A's lock stands on is killed while A works, and comes back empty "
              "within A's lease; B wants the lock",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::held, fault::killed, fault::restarted},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");  // now: starting it later would give A's client time
            world.servers.kill_last(world.servers.minority());
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            // To A they stay dead: its client may have kept the command for them, and send it now.
            world.servers.restart_last_for(b, world.servers.minority());
            world.steps.stop_at_work(a, before_write, [&] {
              world.servers.must_hold_lock_on_just_a_majority();
              world.servers.restart_empty(0);
              world.steps.try_turn_reconnecting(b);
            });
          }};
}

}  // namespace faults
