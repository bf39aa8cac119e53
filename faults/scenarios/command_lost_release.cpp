#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario command_lost_release() {
  return {.name = "command_lost_release",
          .sentence =
              "a command of A's release is lost on its way; A releases again, to be sure; B wants "
              "the lock",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::owner_only_release,
                     Property::truthful_outcomes},
          .needs = {fault::reset},
          .promises = {"lease"},
          .sweep = Sweep{.operation = "release", .directions = {Direction::command}},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = world.timing.lease()});
            auto lost = world.sweep.arm(a, Action::reset);
            auto releasing = a.start_release();
            must_reach(lost, releasing);
            world.steps.must_be_within_lease(a);
            const auto outcome = releasing.wait();
            if (outcome == "unknown" || outcome == "not_released") a.release();
            world.steps.must_get_turn(b);
          }};
}

}  // namespace faults
