#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario removed_lock() {
  return {.name = "removed_lock",
          .sentence =
              "somebody else deletes the lock while A works, an operator or an eviction, "
              "and A's next renewal is due; then B wants the lock",
          .judged = {Property::mutual_exclusion, Property::liveness},
          .needs = {fault::removed},
          .depends_on_time = true,
          .sweep = {},
          .story = [](World& world) {
            world.set_default_lease(world.roomy_lease());
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.must_acquire(a);
            world.stop_at_work(a, World::reading, [&] {
              world.remove_lock();
              world.await_word(a);
              world.must_get_its_turn(b);
            });
            a.release();
          }};
}

}  // namespace faults
