#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario stranger_release() {
  return {.name = "stranger_release",
          .sentence = "B, who holds nothing, releases the lock while A works under it; C wants it",
          .judged = {Property::mutual_exclusion, Property::owner_only_release,
                     Property::truthful_outcomes},
          .needs = {fault::held, needs_contention},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            auto& c = world.client("C");
            world.must_acquire(a, {.lease = World::long_lease});
            world.stop_at_work(a, World::inside_the_work, [&] {
              b.release();
              World::take_a_turn(c);
            });
            a.release();
          }};
}

}  // namespace faults
