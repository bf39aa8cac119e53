#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario slow_holder() {
  return {.name = "slow_holder",
          .sentence = "A's work takes longer than its lease; B wants the lock",
          .judged = {Property::mutual_exclusion, Property::owner_only_release,
                     Property::truthful_outcomes},
          .needs = {fault::held, needs_contention},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.must_acquire(a);
            // The storage takes its time over A's read: that is the slow work.
            auto slow = a.storage_link().arm({.direction = Direction::reply, .command = "READ"},
                                             Action::hold);
            auto working = a.start_work();
            World::must_reach(slow, working);
            const bool b_is_in =
                b.acquire({.lease = World::long_lease, .wait = World::patience}) == "acquired";
            if (b_is_in) {
              b.work();
              b.release();
            }
            slow.deliver();
            working.wait();
            a.release();
          }};
}

}  // namespace faults
