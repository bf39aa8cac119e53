#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

void freeze_in_release(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  auto& c = world.client("C");
  world.steps.must_acquire(a, {.lease = world.timing.lease()});
  auto held = world.sweep.arm(a, Action::hold_back);
  auto releasing = a.start_release();
  must_reach(held, releasing);
  world.steps.must_be_within_lease(a);
  a.freeze();
  // A reply now waits in A's socket; a command stays on its long way to the server.
  if (world.sweep.is_at_reply()) held.deliver();
  const auto go_on = [&] {
    if (!world.sweep.is_at_reply()) held.deliver();
    a.thaw();
    releasing.wait();
  };
  if (!world.steps.acquires_after_lease(b)) return go_on();
  world.steps.stop_at_work(b, before_write, [&] {
    go_on();
    try_turn(c);
  });
  b.release();
}

}  // namespace

Scenario frozen_mid_release() {
  return {
      .name = "frozen_mid_release",
      .sentence =
          "A is frozen at a boundary of its release until its lease has run out and B "
          "is in; C wants the lock",
      .judged = {Property::mutual_exclusion, Property::owner_only_release,
                 Property::truthful_outcomes},
      .needs = {fault::held, fault::frozen, fault::thawed},
      .promises = {"lease", "token"},
      .sweep = Sweep{.operation = "release", .directions = {Direction::command, Direction::reply}},
      .run = freeze_in_release};
}

}  // namespace faults
