#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario hung_holder() {
  return {
      .name = "hung_holder",
      .sentence = "A's work never comes to an end, though its holds are limited; B wants the lock",
      .judged = {Property::liveness, Property::mutual_exclusion},
      .needs = {fault::held, needs_contention},
      .depends_on_time = true,
      .promises = {"renewal", "max_hold"},
      .run = [](World& world) {
        world.clients.set_max_hold(2 * world.timing.lease());
        auto& a = world.client("A");
        auto& b = world.client("B");
        world.steps.must_acquire(a);
        world.steps.stop_at_work(a, during_read, [&] {
          // Its own holds are limited too, so it asks for no long lease.
          if (b.acquire({.wait = world.timing.wait_limit(), .must_get_in = true}) != "acquired")
            return;
          b.work();
          b.release();
        });
      }};
}

}  // namespace faults
