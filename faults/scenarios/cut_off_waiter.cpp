#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario cut_off_waiter() {
  return {.name = "cut_off_waiter",
          .sentence =
              "B waits for the lock, then C; B is cut off from the server, A gives the lock back",
          .judged = {Property::liveness, Property::mutual_exclusion},
          .needs = {fault::cut_off, needs_contention},
          .on_any_server = true,
          .promises = {"freed"},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            auto& c = world.client("C");
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            const auto first = world.steps.start_waiting(
                b, {.lease = world.timing.lease(), .wait = 2 * world.timing.wait_limit()});
            auto second = world.steps.start_waiting(c, {.lease = world.timing.medium_lease(),
                                                        .wait = world.timing.wait_limit(),
                                                        .must_get_in = true});
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
