#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

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
      .sweep = Sweep{.operation = "renew", .directions = {Direction::reply}},
      .story = [](World& world) {
        // Renewals that are late on a slow machine still come within it.
        world.set_default_lease(2 * world.lease());
        auto& a = world.client("A");
        auto& b = world.client("B");
        auto lost = world.arm_at_position(a, Action::reset);
        world.must_acquire(a);
        world.stop_at_work(a, World::reading, [&] {
          lost.await(world.patience());
          world.await_renewals(a, 6);
          World::take_a_turn(b);
        });
        a.release();
      }};
}

}  // namespace faults
