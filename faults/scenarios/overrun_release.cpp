#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario overrun_release() {
  return {.name = "overrun_release",
          .sentence = "A's lease runs out, B gets in and works, then A releases; C wants the lock",
          .judged = {Property::mutual_exclusion, Property::owner_only_release,
                     Property::truthful_outcomes},
          .needs = {needs_contention},
          .on_any_server = true,
          .promises = {"lease", "token"},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            auto& c = world.client("C");
            world.steps.must_acquire(a, {.lease = world.timing.lease()});
            world.steps.must_be_within_lease(a);
            if (!world.steps.acquires_after_lease(b)) {  // A was never late
              a.release();
              return;
            }
            world.steps.stop_at_work(b, before_write, [&] {
              a.release();
              try_turn(c);
            });
            b.release();
          }};
}

}  // namespace faults
