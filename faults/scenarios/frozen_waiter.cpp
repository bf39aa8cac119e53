#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

void freeze_first_waiter(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  auto& c = world.client("C");
  world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
  auto first = world.steps.start_waiting(
      b, {.lease = world.timing.lease(), .wait = 2 * world.timing.wait_limit()});
  auto second = world.steps.start_waiting(c, {.lease = world.timing.medium_lease(),
                                              .wait = world.timing.wait_limit(),
                                              .must_get_in = true});
  b.freeze();
  a.release();
  const bool got_in = second.wait() == "acquired";
  const auto wake_up = [&] {
    world.steps.thaw_until_active(b, first);
    if (first.answered() && first.wait() == "acquired") b.work();
  };
  if (!got_in) return wake_up();
  world.steps.stop_at_work(c, before_write, wake_up);
  c.release();
  first.wait();
}

}  // namespace

Scenario frozen_waiter() {
  return {.name = "frozen_waiter",
          .sentence =
              "B waits for the lock, then C; B is frozen, A gives the lock back; B thaws while C "
              "works",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::frozen, fault::thawed, needs_contention},
          .depends_on_time = true,
          .on_any_server = true,
          .promises = {"freed"},
          .run = freeze_first_waiter};
}

}  // namespace faults
