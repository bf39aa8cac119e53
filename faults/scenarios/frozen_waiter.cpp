#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario frozen_waiter() {
  return {.name = "frozen_waiter",
          .sentence =
              "B waits for the lock, then C; B is frozen, A gives the lock back; B thaws while C "
              "works",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::frozen, fault::thawed, needs_contention},
          .depends_on_time = true,
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            auto& c = world.client("C");
            world.must_acquire(a, {.lease = World::long_lease});
            auto first =
                world.wait_in_line(b, {.lease = world.lease(), .wait = 2 * world.patience()});
            auto second = world.wait_in_line(
                c, {.lease = world.roomy_lease(), .wait = world.patience(), .must_get_in = true});
            b.freeze();
            a.release();
            const bool got_in = second.wait() == "acquired";
            const auto wake_up = [&] {
              world.thaw_and_hear(b, first);
              if (first.answered() && first.wait() == "acquired") b.work();
            };
            if (!got_in) return wake_up();
            world.stop_at_work(c, World::inside_the_work, wake_up);
            c.release();
            first.wait();
          }};
}

}  // namespace faults
