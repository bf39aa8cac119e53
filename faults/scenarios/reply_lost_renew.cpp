#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario reply_lost_renew() {
  return {
      .name = "reply_lost_renew",
      .sentence =
          "a command of A's renewal is applied, its reply is lost; A's work takes several leases",
      .judged = {Property::mutual_exclusion, Property::holder_was_told,
                 Property::truthful_outcomes},
      .needs = {fault::reset, needs_contention},
      .depends_on_time = true,
      .promises = {"renewal"},
      .sweep = Sweep{.operation = "renew", .directions = {Direction::reply}},
      .run = [](World& world) {
        // Renewals that are late on a slow machine still come within it.
        world.clients.set_default_lease(
            world.timing.lease_that_outlasts_a_loss(2 * world.timing.lease()));
        auto& a = world.client("A");
        auto& b = world.client("B");
        auto lost = world.sweep.arm(a, Action::reset);
        world.steps.must_acquire(a);
        world.steps.stop_at_work(a, during_read, [&] {
          lost.await(world.timing.renewal_limit());
          try_turn(b);
          // Then, or when its lease has ended since it stopped to renew, B asks again.
          (void)world.wait_for.renews(a, 6);
          try_turn(b);
        });
        a.release();
      }};
}

}  // namespace faults
