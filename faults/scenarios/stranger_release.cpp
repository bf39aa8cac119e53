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
            auto at_work = a.storage_link().arm(World::inside_the_work, Action::hold);
            auto working = a.start_work();
            World::must_reach(at_work, working);
            b.release();
            world.take_a_turn(c);
            at_work.deliver();
            working.wait();
            a.release();
          }};
}

}  // namespace faults
