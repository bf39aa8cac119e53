#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario reply_lost_renew() {
  return {.name = "reply_lost_renew",
          .sentence =
              "a renewal of A's lease is applied, its reply is lost; A's work takes several leases",
          .judged = {Property::mutual_exclusion, Property::holder_was_told,
                     Property::truthful_outcomes},
          .needs = {fault::reset, needs_contention},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            auto lost = a.lock_link().arm({.direction = Direction::reply, .nth = 2}, Action::reset);
            world.must_acquire(a);
            auto slow = a.storage_link().arm(World::reading, Action::hold);
            auto working = a.start_work();
            World::must_reach(slow, working);
            World::must_reach(lost, working);
            World::await_renewals(a, 6);
            World::take_a_turn(b);
            slow.deliver();
            working.wait();
            a.release();
          }};
}

}  // namespace faults
