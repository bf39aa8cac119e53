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
            auto working = world.freeze_at_work(a, World::inside_the_work);
            world.must_be_within_lease(a);
            world.take_a_patient_turn(b);
            a.thaw();
            working.wait();
            a.release();
          }};
}

}  // namespace faults
