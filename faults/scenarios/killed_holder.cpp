#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario killed_holder() {
  return {.name = "killed_holder",
          .sentence = "A holds the lock and is killed; B wants it",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::killed, needs_contention},
          .on_any_server = true,
          .promises = {"freed"},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a);
            a.kill();
            world.steps.must_be_within_lease(a);
            world.steps.must_get_turn(b);
          }};
}

}  // namespace faults
