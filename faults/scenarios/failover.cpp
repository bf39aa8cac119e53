#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario failover() {
  return {.name = "failover",
          .sentence =
              "the master dies before its replica has A's lock, the replica is promoted; B wants "
              "the lock",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::held, fault::killed, fault::promoted},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            world.start_replica();
            world.hold_back_replication();
            world.must_acquire(a, {.lease = World::long_lease});
            // Or what has not reached the master yet would reach the replica.
            world.await_stragglers(a);
            world.await_replies(a);
            world.stop_at_work(a, World::inside_the_work, [&] {
              world.fail_over();
              World::take_a_turn(world.client("B"));
            });
          }};
}

}  // namespace faults
