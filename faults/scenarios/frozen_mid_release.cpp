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
        world.must_acquire(a, {.lease = world.lease()});
        auto held = world.arm_at_position(a, Action::hold);
        auto releasing = a.start_release();
        World::must_reach(held, releasing);
        world.must_be_within_lease(a);
        a.freeze();
        // A reply now waits in A's socket; a command stays on its long way to the server.
        if (world.is_reply_position()) held.deliver();
        const auto go_on = [&] {
          if (!world.is_reply_position()) held.deliver();
          a.thaw();
          releasing.wait();
        };
        // A lock without a lease: nobody gets in before A goes on.
        if (!world.gets_in(b)) return go_on();
        world.stop_at_work(b, World::inside_the_work, [&] {
          go_on();
          World::take_a_turn(c);
        });
        b.release();
      }};
}

}  // namespace faults
