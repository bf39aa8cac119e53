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
            world.must_acquire(a, {.lease = world.lease()});
            world.must_be_within_lease(a);
            if (!world.gets_in(b)) {  // a lock without a lease: A was never late
              a.release();
              return;
            }
            world.stop_at_work(b, World::inside_the_work, [&] {
              a.release();
              World::take_a_turn(c);
            });
            b.release();
          }};
}

}  // namespace faults
