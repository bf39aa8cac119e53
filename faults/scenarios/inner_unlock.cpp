#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario inner_unlock() {
  return {.name = "inner_unlock",
          .sentence =
              "A takes the lock twice and gives it back once; B wants it while A still works, and "
              "again when A has given it back for good",
          .judged = {Property::mutual_exclusion, Property::liveness, Property::owner_only_release,
                     Property::truthful_outcomes},
          .needs = {fault::held},
          .on_any_server = true,
          .promises = {"reentrant"},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            a.release();
            world.steps.stop_at_work(a, before_write, [&] { try_turn(b); });
            a.release();
            // Far less than A's lease: only a lock that was given back is free by then.
            world.steps.must_get_turn(b);
          }};
}

}  // namespace faults
