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
                World::wait_in_line(b, {.lease = World::lease, .wait = 2 * World::patience});
            auto second = World::wait_in_line(
                c, {.lease = World::roomy_lease, .wait = World::patience, .must_get_in = true});
            b.freeze();
            a.release();
            const bool got_in = second.wait() == "acquired";
            const auto wake_up = [&] {
              World::thaw_and_hear(b, first);
              if (first.answered() && first.wait() == "acquired") b.work();
            };
            if (!got_in) return wake_up();
            World::stop_at_work(c, World::inside_the_work, wake_up);
            c.release();
            first.wait();
          }};
}

}  // namespace faults
