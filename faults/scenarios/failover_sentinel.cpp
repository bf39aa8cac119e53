#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario failover_sentinel() {
  return {.name = "failover_sentinel",
          .sentence =
              "the master dies before its replica has A's lock, real Sentinels promote the "
              "replica; B wants the lock",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::held, fault::killed, fault::promoted},
          .run = [](World& world) {
            world.fail_over.start_replica();
            world.fail_over.start_sentinels();
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.fail_over.stop_replication();
            const auto outcome = a.acquire({.lease = world.timing.long_lease(), .may_fail = true});
            if (outcome != "acquired") world.fail_over.sentinels_must_see_master();
            must_answer(outcome, "acquired");
            // Or what has not reached the master yet would reach the replica.
            world.wait_for.delivery(a);
            world.steps.stop_at_work(a, before_write, [&] {
              world.fail_over.kill_master_and_await_sentinels();
              world.steps.try_turn_reconnecting(b);
            });
          }};
}

}  // namespace faults
