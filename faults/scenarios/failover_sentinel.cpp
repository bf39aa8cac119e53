#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario failover_sentinel() {
  return {.name = "failover_sentinel",
          .sentence =
              "the master dies before its replica has A's lock, real Sentinels promote the "
              "replica; B wants the lock",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::held, fault::killed, fault::promoted},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            world.start_replica();
            world.start_sentinels();
            world.hold_back_replication();
            const auto outcome = a.acquire({.lease = World::long_lease, .may_fail = true});
            if (outcome != "acquired") world.must_still_lead();
            World::must_answer(outcome, "acquired");
            // Or what has not reached the master yet would reach the replica.
            world.await_stragglers(a);
            world.await_replies(a);
            world.stop_at_work(a, World::inside_the_work, [&] {
              world.fail_over_by_sentinels();
              World::take_a_turn(world.client("B"));
            });
          }};
}

}  // namespace faults
