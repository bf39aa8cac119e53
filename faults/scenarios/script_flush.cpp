#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario script_flush() {
  return {
      .name = "script_flush",
      .sentence = "the server forgets its scripts while A holds the lock; B wants it afterwards",
      .judged = {Property::liveness, Property::truthful_outcomes, Property::mutual_exclusion,
                 Property::owner_only_release},
      .needs = {fault::flushed},
      .depends_on_time = true,
      .sweep = {},
      .story = [](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        world.must_acquire(a);
        world.flush_scripts();
        a.work();
        a.release();
        world.must_get_its_turn(b, world.lease() / 2);
      }};
}

}  // namespace faults
