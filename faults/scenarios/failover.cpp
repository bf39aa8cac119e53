#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario failover() {
  return {.name = "failover",
          .sentence =
              "the master dies before its replica has A's lock, the replica is promoted; B wants "
              "the lock",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::held, fault::killed, fault::promoted},
          .on_any_server = true,
          .fewest_that_elect = 3,
          .run = [](World& world) {
            // Also of a lock whose lease is a session's: it has to outlive an election.
            world.clients.set_default_lease(world.timing.long_lease());
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.fail_over.start_replica();
            world.fail_over.stop_replication();
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            // Or what has not reached the master yet would reach the replica.
            world.wait_for.delivery(a);
            world.steps.stop_at_work(a, before_write, [&] {
              world.fail_over.kill_master_and_promote();
              world.steps.try_turn_reconnecting(b);
            });
          }};
}

}  // namespace faults
