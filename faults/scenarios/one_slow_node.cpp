#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

// Of one server: it stands still while A's command waits at its door, no longer.
void take_a_turn_past_the_only_one(World& world, Client& client) {
  const auto arrived = client.lock_link().arm({.direction = Direction::command}, Action::forward);
  auto acquiring = client.start_acquire(
      {.lease = Timing::long_lease, .wait = world.timing.wait_limit(), .must_get_in = true});
  must_reach(arrived, acquiring);
  world.nodes.thaw_last(1);
  if (acquiring.wait() != "acquired") return;
  client.work();
  client.release();
}

}  // namespace

Scenario one_slow_node() {
  return {.name = "one_slow_node",
          .sentence =
              "one server stands still (of one server, for a moment) while A and then B take the "
              "lock, work and give it back",
          .judged = {Property::liveness, Property::mutual_exclusion},
          .needs = {fault::frozen, fault::thawed},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.nodes.freeze_last(1);
            if (world.nodes.size() == 1) {
              take_a_turn_past_the_only_one(world, a);
            } else {
              world.steps.must_get_turn(a);
            }
            world.steps.must_get_turn(b);
            if (world.nodes.size() > 1) world.nodes.thaw_last(1);
          }};
}

}  // namespace faults
