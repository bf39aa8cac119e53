#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario frozen_holder() {
  return {.name = "frozen_holder",
          .sentence =
              "A is frozen after its last check and before its write, until its lease has run out "
              "and B has been in",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::held, fault::frozen, fault::thawed, needs_contention},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.must_acquire(a);
            auto checked = a.storage_link().arm(World::inside_the_work, Action::hold);
            auto working = a.start_work();
            World::must_reach(checked, working);
            a.freeze();
            checked.deliver();  // into A's socket
            World::take_a_patient_turn(b);
            a.thaw();
            working.wait();
            a.release();
          }};
}

}  // namespace faults
