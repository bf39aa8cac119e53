#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

void lose_reply_to_release(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  auto& c = world.client("C");
  world.steps.must_acquire(a, {.lease = world.timing.lease()});
  auto lost = world.sweep.arm(a, Action::reset);
  auto releasing = a.start_release();
  must_reach(lost, releasing);
  world.steps.must_be_within_lease(a);
  const auto outcome = releasing.wait();
  const bool unknown = outcome == "unknown" || outcome == "not_released";
  const auto b_outcome = b.acquire(
      {.lease = world.timing.long_lease(), .wait = world.timing.wait_limit(), .must_get_in = true});
  if (b_outcome != "acquired") return;
  world.steps.stop_at_work(b, before_write, [&] {
    if (unknown) a.release();
    try_turn(c);
  });
  b.release();
}

}  // namespace

Scenario reply_lost_release() {
  return {.name = "reply_lost_release",
          .sentence =
              "a command of A's release is applied, its reply is lost; B gets in, then A "
              "releases again, to be sure; C wants the lock",
          .judged = {Property::mutual_exclusion, Property::owner_only_release, Property::liveness,
                     Property::truthful_outcomes},
          .needs = {fault::reset},
          .promises = {"lease"},
          .sweep = Sweep{.operation = "release", .directions = {Direction::reply}},
          .run = lose_reply_to_release};
}

}  // namespace faults
