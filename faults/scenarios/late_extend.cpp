#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

void extend_late(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  world.steps.must_acquire(a, {.lease = world.timing.lease()});
  auto held = world.sweep.arm(a, Action::hold_back);
  auto extending = a.start_extend();
  must_reach(held, extending);
  world.steps.must_be_within_lease(a);
  const auto go_on = [&] {
    world.sweep.deliver(a, held);
    if (extending.wait() == "extended") a.work();
  };
  if (!world.steps.acquires_after_lease(b)) return go_on();
  world.steps.stop_at_work(b, before_write, go_on);
  b.release();
}

}  // namespace

Scenario late_extend() {
  return {
      .name = "late_extend",
      .sentence =
          "A extends its lease, and that is delayed at a boundary until the lease has expired and "
          "B is in; then it continues, and A works if its lock says that it has it",
      .judged = {Property::truthful_outcomes, Property::owner_only_renewal,
                 Property::mutual_exclusion},
      .needs = {fault::held, needs_contention},
      .beyond_stages = "extend",
      .sweep = Sweep{.operation = "extend", .directions = {Direction::command, Direction::reply}},
      .run = extend_late};
}

}  // namespace faults
