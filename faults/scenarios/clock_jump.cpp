#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario clock_jump() {
  return {.name = "clock_jump",
          .sentence =
              "the server's clock jumps past the end of A's lease while A works, or that of a "
              "majority of the servers; B wants the lock",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::held, fault::stepped},
          .promises = {"lease"},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            world.steps.stop_at_work(a, before_write, [&] {
              world.servers.step_first_clocks(world.servers.majority(),
                                              world.timing.long_lease() + world.timing.lease());
              try_turn(b);
            });
          }};
}

}  // namespace faults
