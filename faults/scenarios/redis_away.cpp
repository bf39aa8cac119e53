#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario redis_away() {
  return {.name = "redis_away",
          .sentence = "the lock's servers die, and A and B, in two processes, go on without them",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::killed},
          .beyond_stages = "fallback",
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            a.release();
            world.servers.kill_last(world.servers.size());
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            world.steps.stop_at_work(a, before_write, [&] { world.steps.wait_for_turn(b); });
            a.release();
          }};
}

}  // namespace faults
