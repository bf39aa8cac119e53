#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario second_release() {
  return {.name = "second_release",
          .sentence = "A gives the lock back, B gets in, and A gives it back again; C wants it",
          .judged = {Property::mutual_exclusion, Property::owner_only_release,
                     Property::truthful_outcomes},
          .needs = {fault::held, needs_contention},
          .on_any_server = true,
          .promises = {"token"},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            auto& c = world.client("C");
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            must_release(a);
            world.steps.must_acquire(b, {.lease = world.timing.long_lease()});
            world.steps.stop_at_work(b, before_write, [&] {
              a.release();
              try_turn(c);
            });
            b.release();
          }};
}

}  // namespace faults
