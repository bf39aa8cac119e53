#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario removed_lock() {
  return {.name = "removed_lock",
          .sentence =
              "the lock is deleted while A works, by an operator or an eviction, and A's next "
              "renewal is due; then B wants the lock",
          .judged = {Property::mutual_exclusion, Property::liveness},
          .needs = {fault::removed},
          .depends_on_time = true,
          .promises = {"loss_notice"},
          .run = [](World& world) {
            world.clients.set_default_lease(world.timing.lease_told_of_removal());
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a);
            world.steps.stop_at_work(a, during_read, [&] {
              world.servers.remove_lock();
              world.wait_for.loss_report(a);
              world.steps.must_get_turn(b);
            });
            a.release();
          }};
}

}  // namespace faults
