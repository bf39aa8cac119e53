#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

void kill_waiter(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  auto& c = world.client("C");
  world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
  must_be_refused(b.acquire({.wait = world.timing.lease() / 3}));
  auto held = world.sweep.arm_by_place(b, Action::hold_back);
  const auto asking =
      b.start_acquire({.lease = world.timing.long_lease(), .wait = world.timing.wait_limit()});
  must_reach(held, asking);
  b.kill();
  held.deliver();  // what was sent before the death still arrives
  auto waiting = world.steps.start_waiting(
      c,
      {.lease = world.timing.long_lease(), .wait = world.timing.wait_limit(), .must_get_in = true});
  a.work();
  a.release();
  // Far less than A's lease, or B's.
  if (waiting.wait() != "acquired") return;
  c.work();
  c.release();
}

}  // namespace

Scenario killed_waiter() {
  return {
      .name = "killed_waiter",
      .sentence =
          "A works, B wants the lock and is killed at a boundary of its acquire, C wants it too; A "
          "gives it back",
      .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes},
      .needs = {fault::held, fault::killed, needs_contention},
      .sweep = Sweep{.operation = "acquire", .directions = {Direction::command, Direction::reply}},
      .run = kill_waiter};
}

}  // namespace faults
