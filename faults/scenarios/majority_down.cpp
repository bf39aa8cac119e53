#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario majority_down() {
  return {.name = "majority_down",
          .sentence =
              "a majority of the servers dies, and A wants the lock; then just enough of them come "
              "back, and B wants it",
          .judged = {Property::liveness, Property::truthful_outcomes, Property::nothing_left},
          .needs = {fault::killed, fault::restarted},
          .on_any_server = true,
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            a.release();
            world.servers.kill_last(world.servers.majority());
            a.acquire({.lease = world.timing.lease(),
                       .wait = world.timing.lease(),
                       .may_fail = true,
                       .must_end_within = world.timing.acquire_limit(world.timing.lease())});
            // B needs these and every server that lived on: if A left a key on one of those, B does
            // not get in.
            world.servers.restart_last(world.servers.majority() - world.servers.minority());
            try_turn(b, 3);  // it may notice only by asking that its connections ended
            world.steps.must_get_turn(b);
          }};
}

}  // namespace faults
