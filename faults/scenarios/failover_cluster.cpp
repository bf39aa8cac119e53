#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario failover_cluster() {
  return {
      .name = "failover_cluster",
      .sentence =
          "in a Cluster the master of the lock's slot dies before its replica has A's lock, the "
          "replica is elected; B wants the lock",
      .judged = {Property::mutual_exclusion},
      .needs = {fault::held, fault::killed, fault::promoted},
      .promises = {"discovery"},
      .run = [](World& world) {
        world.cluster.start(Cluster::Replicas::one_each);
        auto& a = world.client("A");
        auto& b = world.client("B");
        world.cluster.stop_replication();
        const auto outcome = a.acquire({.lease = world.timing.long_lease(), .may_fail = true});
        if (outcome != "acquired") world.cluster.must_be_well();
        must_answer(outcome, "acquired");
        // Or what has not reached the master yet would reach the replica.
        world.wait_for.replies(a);
        world.steps.stop_at_work(a, before_write, [&] {
          world.cluster.kill_master_and_await_replica();
          world.steps.try_turn_reconnecting(b);
        });
      }};
}

}  // namespace faults
