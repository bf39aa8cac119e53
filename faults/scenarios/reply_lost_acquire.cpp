#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario reply_lost_acquire() {
  return {.name = "reply_lost_acquire",
          .sentence = "a command of A's acquire is applied, its reply is lost; B wants the lock",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::owner_only_release,
                     Property::truthful_outcomes, Property::nothing_left},
          .needs = {fault::reset},
          .promises = {"lease"},
          .sweep = Sweep{.operation = "acquire", .directions = {Direction::reply}},
          .run = [](World& world) {
            world.clients.set_default_lease(world.timing.medium_lease());
            auto& a = world.client("A");
            auto& b = world.client("B");
            auto lost = world.sweep.arm(a, Action::reset);
            auto acquiring = a.start_acquire();
            must_reach(lost, acquiring);
            // A lock that asked again has it, and gives it back: then it is free at once.
            const bool gave_back = acquiring.wait() == "acquired" && !a.release().empty();
            world.steps.must_get_turn(
                b, gave_back ? world.timing.medium_lease() / 2 : world.timing.wait_limit());
          }};
}

}  // namespace faults
