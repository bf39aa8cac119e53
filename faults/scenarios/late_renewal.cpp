#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario late_renewal() {
  return {
      .name = "late_renewal",
      .sentence =
          "a renewal of A's stands at one of its boundaries while A gives the lock back and B "
          "takes it; then it goes on",
      .judged = {Property::owner_only_renewal, Property::mutual_exclusion, Property::liveness},
      .needs = {fault::held},
      .depends_on_time = true,
      .sweep = Sweep{.operation = "renew", .directions = {Direction::command, Direction::reply}},
      .story = [](World& world) {
        // Time enough before A gives up on a connection that keeps silent.
        world.set_default_lease(2 * world.roomy_lease());
        auto& a = world.client("A");
        auto& b = world.client("B");
        auto renewal = world.arm_at_position(a, Action::hold);
        world.must_acquire(a);
        renewal.await(2 * world.patience());
        world.must_be_held(a);
        World::must_answer(a.release(), "released");
        world.must_acquire(b, {.lease = World::long_lease});
        world.deliver(a, renewal);
        b.work();
        b.release();
      }};
}

}  // namespace faults
