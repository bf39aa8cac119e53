#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario frozen_mid_release() {
  return {
      .name = "frozen_mid_release",
      .sentence =
          "A is frozen at a boundary of its release until its lease has run out and B "
          "is in; C wants the lock",
      .judged = {Property::mutual_exclusion, Property::owner_only_release,
                 Property::truthful_outcomes},
      .needs = {fault::held, fault::frozen, fault::thawed},
      .sweep = Sweep{.operation = "release", .directions = {Direction::command, Direction::reply}},
      .story = [](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        auto& c = world.client("C");
        world.must_acquire(a, {.lease = World::lease});
        auto held = world.arm_at_position(a, Action::hold);
        auto releasing = a.start_release();
        World::must_reach(held, releasing);
        world.must_be_within_lease(a);
        a.freeze();
        // A reply now waits in A's socket; a command stays on its long way to the server.
        if (world.is_reply_position()) held.deliver();
        const bool b_is_in =
            b.acquire({.lease = World::long_lease, .wait = World::patience}) == "acquired";
        if (!b_is_in) {  // a lock without a lease: nobody can get in before A goes on
          if (!world.is_reply_position()) held.deliver();
          a.thaw();
          releasing.wait();
          return;
        }
        auto at_work = b.storage_link().arm(World::inside_the_work, Action::hold);
        auto working = b.start_work();
        World::must_reach(at_work, working);
        if (!world.is_reply_position()) held.deliver();
        a.thaw();
        releasing.wait();
        world.take_a_turn(c);
        at_work.deliver();
        working.wait();
        b.release();
      }};
}

}  // namespace faults
