#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario clock_jump() {
  return {.name = "clock_jump",
          .sentence =
              "the server's clock jumps past the end of A's lease while A works, or that of a "
              "majority of the servers; B wants the lock",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::held, fault::stepped},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.must_acquire(a, {.lease = World::long_lease});
            world.stop_at_work(a, World::inside_the_work, [&] {
              world.step_clocks(world.majority(), World::long_lease + world.lease());
              World::take_a_turn(b);
            });
          }};
}

}  // namespace faults
