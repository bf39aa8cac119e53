#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario late_renewal() {
  return {.name = "late_renewal",
          .sentence =
              "a renewal of A's is on its way while A gives the lock back and B takes it; then it "
              "arrives",
          .judged = {Property::owner_only_renewal, Property::mutual_exclusion, Property::liveness},
          .needs = {fault::held},
          .depends_on_time = true,
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.must_acquire(a);
            auto renewal = a.lock_link().arm({.direction = Direction::command}, Action::hold);
            renewal.await(World::patience);
            world.must_be_held(a);
            World::must_answer(a.release(), "released");
            world.must_acquire(b, {.lease = World::long_lease});
            renewal.deliver();
            World::await_replies(a);
            b.work();
            b.release();
          }};
}

}  // namespace faults
