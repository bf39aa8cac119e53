#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario hung_holder() {
  return {
      .name = "hung_holder",
      .sentence = "A's work never comes to an end, though its holds are limited; B wants the lock",
      .judged = {Property::liveness, Property::mutual_exclusion},
      .needs = {fault::held, needs_contention},
      .depends_on_time = true,
      .sweep = {},
      .story = [](World& world) {
        world.limit_holds_to(2 * world.lease());
        auto& a = world.client("A");
        auto& b = world.client("B");
        world.must_acquire(a);
        world.stop_at_work(a, World::reading, [&] {
          // Its own holds are limited too, so it asks for no long lease.
          if (b.acquire({.wait = world.patience(), .must_get_in = true}) != "acquired") return;
          b.work();
          b.release();
        });
      }};
}

}  // namespace faults
