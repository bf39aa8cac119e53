#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario overrun_release() {
  return {.name = "overrun_release",
          .sentence = "A's lease runs out, B gets in and works, then A releases; C wants the lock",
          .judged = {Property::mutual_exclusion, Property::owner_only_release,
                     Property::truthful_outcomes},
          .needs = {needs_contention},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            auto& c = world.client("C");
            world.must_acquire(a, {.lease = World::lease});
            const bool b_is_in =
                b.acquire({.lease = World::long_lease, .wait = World::patience}) == "acquired";
            if (!b_is_in) {  // a lock without a lease: A was never late
              a.release();
              return;
            }
            auto at_work = b.storage_link().arm(World::inside_the_work, Action::hold);
            auto working = b.start_work();
            World::must_reach(at_work, working);
            a.release();
            world.take_a_turn(c);
            at_work.deliver();
            working.wait();
            b.release();
          }};
}

}  // namespace faults
