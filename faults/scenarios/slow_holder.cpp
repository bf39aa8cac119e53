#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario slow_holder() {
  return {.name = "slow_holder",
          .sentence = "A's work takes longer than its lease; B wants the lock",
          .judged = {Property::mutual_exclusion, Property::owner_only_release,
                     Property::truthful_outcomes},
          .needs = {fault::held, needs_contention},
          .depends_on_time = true,
          .on_any_server = true,
          .promises = {"renewal"},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a);
            // The storage takes its time over A's read: that is the slow work.
            world.steps.stop_at_work(a, during_read, [&] { world.steps.wait_for_turn(b); });
            a.release();
          }};
}

}  // namespace faults
