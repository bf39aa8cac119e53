#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario reply_lost_acquire() {
  return {
      .name = "reply_lost_acquire",
      .sentence = "a command of A's acquire is applied, its reply is lost; B wants the lock",
      .judged = {Property::liveness, Property::mutual_exclusion, Property::owner_only_release,
                 Property::truthful_outcomes, Property::nothing_left},
      .needs = {fault::reset},
      .promises = {"lease"},
      .sweep =
          Sweep{.operation = "acquire", .directions = {Direction::reply}, .default_lease = true},
      .run = [](World& world) {
        const auto lease = world.timing.lease_that_outlasts_a_loss(world.timing.medium_lease());
        world.clients.set_default_lease(lease);
        auto& a = world.client("A");
        auto& b = world.client("B");
        auto lost = world.sweep.arm(a, Action::reset);
        const auto since = std::chrono::steady_clock::now();
        auto acquiring = a.start_acquire();
        must_reach(lost, acquiring);
        const bool acquired = acquiring.wait() == "acquired";
        must_answer_within(lease, since, a);
        // A lock that asked again has it, and gives it back: then it is free at once.
        const bool gave_back = acquired && !a.release().empty();
        const auto limit = std::max(world.timing.wait_limit(), world.timing.wait_limit(lease));
        world.steps.must_get_turn(b, gave_back ? lease / 2 : limit);
      }};
}

}  // namespace faults
