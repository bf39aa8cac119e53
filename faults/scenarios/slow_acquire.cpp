#include <algorithm>

#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

void acquire_slowly(World& world) {
  const auto lease = world.timing.lease_that_outlasts_a_loss(world.timing.medium_lease());
  world.clients.set_reply_timeout(world.timing.gives_up_after());
  auto& a = world.client("A");
  auto& b = world.client("B");
  auto slow = world.sweep.arm(a, Action::hold_back);
  auto acquiring = a.start_acquire({.lease = lease, .may_fail = true});
  must_reach(slow, acquiring);
  // One that has sent it again may have the lock.
  if (acquiring.wait() == "acquired") {
    a.work();
    a.release();
  }
  slow.deliver();
  world.steps.must_get_turn(b, std::max(world.timing.wait_limit(), world.timing.wait_limit(lease)));
}

}  // namespace

Scenario slow_acquire() {
  return {
      .name = "slow_acquire",
      .sentence =
          "a command of A's acquire reaches its server when A has given up on it, or has worked "
          "since; B wants the lock",
      .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes},
      .needs = {fault::held, fault::delivered},
      .needs_timeout = true,
      .sweep = Sweep{.operation = "acquire", .directions = {Direction::command}},
      .run = acquire_slowly};
}

}  // namespace faults
