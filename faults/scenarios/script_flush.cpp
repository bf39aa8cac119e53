#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario script_flush() {
  return {
      .name = "script_flush",
      .sentence = "the server forgets its scripts while A holds the lock; B wants it afterwards",
      .judged = {Property::liveness, Property::truthful_outcomes, Property::mutual_exclusion,
                 Property::owner_only_release},
      .needs = {fault::flushed},
      .depends_on_time = true,
      .run = [](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        world.steps.must_acquire(a);
        world.servers.flush_scripts();
        a.work();
        a.release();
        world.steps.must_get_turn(b, world.timing.lease() / 2);
      }};
}

}  // namespace faults
