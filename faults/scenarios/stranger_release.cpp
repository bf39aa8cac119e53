#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario stranger_release() {
  return {.name = "stranger_release",
          .sentence = "B, who holds nothing, releases the lock while A works under it; C wants it",
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
            world.steps.stop_at_work(a, before_write, [&] {
              b.release();
              try_turn(c);
            });
            a.release();
          }};
}

}  // namespace faults
