#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario half_open() {
  return {.name = "half_open",
          .sentence = "A's commands reach the server, its replies do not reach A; B wants the lock",
          .judged = {Property::holder_was_told, Property::mutual_exclusion},
          .needs = {fault::cut_off, needs_contention},
          .sweep = {},
          .story = [](World& world) {
            world.set_default_lease(World::roomy_lease);
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.must_acquire(a);
            auto slow = a.storage_link().arm(World::reading, Action::hold);
            auto working = a.start_work();
            World::must_reach(slow, working);
            a.lock_link().cut_off(Direction::reply);
            const bool b_is_in =
                b.acquire({.lease = World::long_lease, .wait = World::patience}) == "acquired";
            if (b_is_in) {
              b.work();
              b.release();
            }
            slow.deliver();
            working.wait();
            a.kill();  // or its goodbye would wait for a server that it cannot hear
          }};
}

}  // namespace faults
