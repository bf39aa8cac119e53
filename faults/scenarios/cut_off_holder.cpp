#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario cut_off_holder() {
  return {.name = "cut_off_holder",
          .sentence = "A is cut off from the server while it works; B wants the lock",
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
            a.lock_link().cut_off(Direction::command);
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
