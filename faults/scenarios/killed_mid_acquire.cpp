#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario killed_mid_acquire() {
  return {.name = "killed_mid_acquire",
          .sentence = "A is killed at a boundary of its acquire; B wants the lock",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::held, fault::killed},
          .promises = {"lease"},
          .sweep = Sweep{.operation = "acquire",
                         .directions = {Direction::command, Direction::reply},
                         .default_lease = true},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            auto held = world.sweep.arm(a, Action::hold_back);
            const auto acquiring = a.start_acquire();
            must_reach(held, acquiring);
            a.kill();
            held.deliver();  // what was sent before the death still arrives
            world.steps.must_get_turn(b);
          }};
}

}  // namespace faults
