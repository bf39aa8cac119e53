#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario slot_moves() {
  return {
      .name = "slot_moves",
      .sentence =
          "in a Cluster the lock's slot moves to another master while A works; B wants the lock "
          "when the key has moved, and when the slot has",
      .judged = {Property::mutual_exclusion, Property::liveness, Property::truthful_outcomes},
      .needs = {fault::held, fault::moved},
      .promises = {"discovery"},
      .run = [](World& world) {
        world.cluster.start(Cluster::Replicas::none);
        auto& a = world.client("A");
        auto& b = world.client("B");
        world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
        world.steps.stop_at_work(a, before_write, [&] {
          world.cluster.move_key();
          try_turn(b);
          world.cluster.move_slot();
          try_turn(b);
        });
        a.release();
        world.steps.must_get_turn(b);
      }};
}

}  // namespace faults
