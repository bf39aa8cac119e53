#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

// Of several servers a minority is down when A asks, so that one that forgets is enough to give B a
// majority.
Scenario amnesia() {
  return {.name = "amnesia",
          .sentence =
              "a server that A's lock stands on is killed while A works, and comes back empty "
              "within A's lease; B wants the lock",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::held, fault::killed, fault::restarted},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            world.kill_nodes(world.minority());
            world.must_acquire(a, {.lease = World::long_lease});
            world.bring_back_nodes(world.minority());
            world.stop_at_work(a, World::inside_the_work, [&] {
              world.restart_node_empty(0);
              World::take_a_turn(world.client("B"));
            });
          }};
}

}  // namespace faults
