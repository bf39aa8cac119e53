#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

void give_up_as_granted(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  auto& c = world.client("C");
  world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
  auto first = world.steps.start_waiting(
      b, {.lease = world.timing.long_lease(), .wait = world.timing.wait_limit()});
  auto second = world.steps.start_waiting(
      c,
      {.lease = world.timing.long_lease(), .wait = world.timing.wait_limit(), .must_get_in = true});
  auto word =
      b.lock_link().arm({.direction = Direction::reply, .command = "message"}, Action::hold_back);
  a.release();
  must_reach(word, first);
  b.terminate();
  must_be_refused(first.wait());
  b.await_end();
  word.deliver();  // to nobody
  // Far less than B's lease.
  if (second.wait() != "acquired") return;
  c.work();
  c.release();
}

}  // namespace

Scenario gave_up_as_granted() {
  return {
      .name = "gave_up_as_granted",
      .sentence =
          "A gives the lock back; B is told to stop before it learns of its turn; C waits after B",
      .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes},
      .needs = {fault::held, fault::terminated, needs_contention},
      .beyond_stages = "queue",
      .run = give_up_as_granted};
}

}  // namespace faults
