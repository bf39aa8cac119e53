#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario reply_lost_acquire() {
  return {.name = "reply_lost_acquire",
          .sentence = "a command of A's acquire is applied, its reply is lost; B wants the lock",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::owner_only_release,
                     Property::truthful_outcomes},
          .needs = {fault::reset},
          .sweep = Sweep{.operation = "acquire", .directions = {Direction::reply}},
          .story = [](World& world) {
            world.set_default_lease(world.roomy_lease());
            auto& a = world.client("A");
            auto& b = world.client("B");
            auto lost = world.arm_at_position(a, Action::reset);
            auto acquiring = a.start_acquire();
            World::must_reach(lost, acquiring);
            // A lock that asked again has it, and gives it back: then it is free at once.
            const bool gave_back = acquiring.wait() == "acquired" && !a.release().empty();
            world.must_get_its_turn(b, gave_back ? world.roomy_lease() / 2 : world.patience());
          }};
}

}  // namespace faults
