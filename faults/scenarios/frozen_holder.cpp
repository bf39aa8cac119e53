#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario frozen_holder() {
  return {.name = "frozen_holder",
          .sentence =
              "A is frozen after its last check and before its write, until its lease has run out "
              "and B has been in",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::held, fault::frozen, fault::thawed, needs_contention},
          .on_any_server = true,
          .promises = {"lease"},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a);
            auto working = world.steps.freeze_at_work(a, before_write);
            world.steps.must_be_within_lease(a);
            world.steps.take_turn_after_lease(b);
            a.thaw();
            working.wait();
            a.release();
          }};
}

}  // namespace faults
