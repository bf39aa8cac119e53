#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario cut_off_waiter() {
  return {.name = "cut_off_waiter",
          .sentence =
              "B waits for the lock, then C; B is cut off from the server, A gives the lock back",
          .judged = {Property::liveness, Property::mutual_exclusion},
          .needs = {fault::cut_off, needs_contention},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            auto& c = world.client("C");
            world.must_acquire(a, {.lease = World::long_lease});
            const auto first =
                world.wait_in_line(b, {.lease = world.lease(), .wait = world.patience()});
            auto second = world.wait_in_line(
                c, {.lease = world.roomy_lease(), .wait = world.patience(), .must_get_in = true});
            for (const auto direction : {Direction::command, Direction::reply}) {
              b.cut_off(direction);
            }
            a.release();
            if (second.wait() == "acquired") {
              c.work();
              c.release();
            }
            b.kill();  // or its goodbye would wait for a server that it cannot hear
          }};
}

}  // namespace faults
