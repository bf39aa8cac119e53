#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

void freeze_in_acquire(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  auto held = world.sweep.arm(a, Action::hold_back);
  auto acquiring = a.start_acquire({.lease = world.timing.lease(), .may_fail = true});
  must_reach(held, acquiring);
  a.freeze();
  // A reply now waits in A's socket; a command stays on its long way to the server.
  if (world.sweep.is_at_reply()) held.deliver();
  const auto go_on = [&] {
    if (!world.sweep.is_at_reply()) held.deliver();
    a.thaw();
    if (acquiring.wait() != "acquired") return;
    a.work();
    a.release();
  };
  if (!world.steps.acquires_after_lease(b)) return go_on();
  world.steps.stop_at_work(b, before_write, go_on);
  b.release();
}

}  // namespace

Scenario frozen_mid_acquire() {
  return {
      .name = "frozen_mid_acquire",
      .sentence =
          "A is frozen at a boundary of its acquire until its lease has expired and B is in; then "
          "A continues, and works if its lock lets it",
      .judged = {Property::mutual_exclusion, Property::owner_only_release},
      .needs = {fault::held, fault::frozen, fault::thawed},
      .promises = {"lease"},
      .sweep = Sweep{.operation = "acquire", .directions = {Direction::command, Direction::reply}},
      .run = freeze_in_acquire};
}

}  // namespace faults
