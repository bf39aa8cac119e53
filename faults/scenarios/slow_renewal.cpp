#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

void renew_slowly(World& world) {
  // The slow reply leaves so much of it that A can renew again.
  world.clients.set_default_lease(
      world.timing.lease_that_outlasts_a_loss(world.timing.medium_lease()));
  const auto timeout = world.timing.gives_up_after();
  world.clients.set_reply_timeout(timeout);
  auto& a = world.client("A");
  auto& b = world.client("B");
  auto slow = world.sweep.arm(a, Action::delay, timeout + timeout / 20);
  world.steps.must_acquire(a);
  world.steps.stop_at_work(a, during_read, [&] {
    slow.await(world.timing.renewal_limit());
    try_turn(b);
    // For longer than a lease; or that has ended, since A stopped to renew it.
    (void)world.wait_for.renews(a, 4);
    try_turn(b);
  });
  a.release();
}

}  // namespace

Scenario slow_renewal() {
  return {
      .name = "slow_renewal",
      .sentence =
          "the reply to a renewal of A's comes when A has given up on it, well within the lease; "
          "A's work takes several leases",
      .judged = {Property::mutual_exclusion, Property::holder_was_told,
                 Property::truthful_outcomes},
      .needs = {fault::delayed, needs_contention},
      .depends_on_time = true,
      .needs_timeout = true,
      .promises = {"renewal"},
      .sweep = Sweep{.operation = "renew", .directions = {Direction::reply}},
      .run = renew_slowly};
}

}  // namespace faults
