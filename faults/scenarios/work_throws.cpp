#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario work_throws() {
  return {.name = "work_throws",
          .sentence = "an exception leaves A's critical section; B wants the lock immediately",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::owner_only_release},
          .needs = {},
          .on_any_server = true,
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            must_answer(a.work({.throws = true}), "abandoned");
            // Far less than A's lease: only a lock that was given back is free by then.
            world.steps.must_get_turn(b);
          }};
}

}  // namespace faults
