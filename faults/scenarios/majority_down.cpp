#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario majority_down() {
  return {.name = "majority_down",
          .sentence =
              "a majority of the servers dies, and A wants the lock; then just enough of them come "
              "back, and B wants it",
          .judged = {Property::liveness, Property::truthful_outcomes},
          .needs = {fault::killed, fault::restarted},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            world.must_acquire(a, {.lease = World::long_lease});
            a.release();
            world.kill_nodes(world.majority());
            a.acquire({.lease = world.lease(),
                       .wait = world.lease(),
                       .may_fail = true,
                       .must_end_within = World::boundary_limit / 2});
            // With these B needs every server that lived on: one on which A left something behind
            // would keep B out.
            world.bring_back_nodes(world.majority() - world.minority());
            world.must_get_its_turn(world.client("B"));
          }};
}

}  // namespace faults
