#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario failover_bare_majority() {
  return {.name = "failover_bare_majority",
          .sentence =
              "A has three of five servers, one of them dies before its replica has A's lock, the "
              "replica is promoted; B wants the lock",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::held, fault::cut_off, fault::killed, fault::promoted},
          .fewest_servers = 5,
          .promises = {"quorum"},
          .run = [](World& world) {
            if (world.servers.size() < 5) throw NotExercised("it needs five servers");
            auto& a = world.client("A");
            world.fail_over.start_replica();
            world.fail_over.stop_replication();
            cut_off_from(a, {3, 4});
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            world.steps.stop_at_work(a, before_write, [&] {
              world.fail_over.kill_master_and_promote();
              // Comes only now: a first try without the new master would count at the other two.
              try_turn(world.client("B"));
            });
          }};
}

}  // namespace faults
