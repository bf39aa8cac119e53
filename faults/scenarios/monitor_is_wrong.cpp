#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario monitor_is_wrong() {
  return {.name = "monitor_is_wrong",
          .sentence =
              "A works, and is cut off from the monitor alone, which frees its lock; B wants the "
              "lock",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::held, fault::cut_off, fault::freed},
          .needs_monitor = true,
          .sweep = {},
          .run = [](World& world) {
            world.monitor.start();
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = Timing::long_lease});
            world.steps.stop_at_work(a, before_write, [&] {
              world.monitor.cut_off(a);
              world.monitor.await_freed();
              try_turn(b);
            });
          }};
}

}  // namespace faults
