#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

// A single server stands still only until A's command has arrived.
void take_turn_on_a_single_node(World& world, Client& client) {
  const auto arrived = client.lock_link().arm({.direction = Direction::command}, Action::forward);
  auto acquiring = client.start_acquire(
      {.lease = world.timing.long_lease(), .wait = world.timing.wait_limit(), .must_get_in = true});
  must_reach(arrived, acquiring);
  world.servers.thaw_last(1);
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
          .judged = {Property::liveness, Property::mutual_exclusion, Property::nothing_left},
          .needs = {fault::frozen, fault::thawed},
          .on_any_server = true,
          .fewest_that_elect = 3,
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.servers.freeze_last(1);
            if (world.servers.size() == 1) {
              take_turn_on_a_single_node(world, a);
            } else {
              world.steps.must_get_turn(a);
            }
            world.steps.must_get_turn(b);
            if (world.servers.size() == 1) return;
            world.servers.thaw_last(1);
            // It does now what was sent to it meanwhile.
            world.wait_for.lock_to_go();
          }};
}

}  // namespace faults
