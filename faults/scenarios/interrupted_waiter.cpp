#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

void interrupt_first_waiter(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  auto& c = world.client("C");
  world.steps.must_acquire(a, {.lease = Timing::long_lease});
  auto first = world.steps.start_waiting(
      b, {.lease = Timing::long_lease, .wait = 2 * world.timing.wait_limit()});
  auto second = world.steps.start_waiting(
      c, {.lease = Timing::long_lease, .wait = world.timing.wait_limit(), .must_get_in = true});
  b.interrupt();
  must_answer(first.wait(), "interrupted");
  a.release();
  // Far less than B's lease.
  if (second.wait() != "acquired") return;
  c.work();
  c.release();
  world.wait_for.lock_to_go();
}

}  // namespace

Scenario interrupted_waiter() {
  return {.name = "interrupted_waiter",
          .sentence =
              "B waits for the lock, then C; B's program interrupts its waiting, A gives the lock "
              "back",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes,
                     Property::nothing_left},
          .needs = {fault::interrupted, needs_contention},
          .beyond_stages = "interrupt",
          .run = interrupt_first_waiter};
}

}  // namespace faults
