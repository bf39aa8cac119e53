#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario dead_holder_freed() {
  return {.name = "dead_holder_freed",
          .sentence =
              "A, whose lease is long, is killed while a monitor hears its heartbeats; B wants the "
              "lock",
          .judged = {Property::liveness, Property::mutual_exclusion},
          .needs = {fault::killed},
          .needs_monitor = true,
          .sweep = {},
          .run = [](World& world) {
            world.monitor.start();
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = Timing::long_lease});
            a.kill();
            world.steps.must_get_turn(b);
          }};
}

}  // namespace faults
