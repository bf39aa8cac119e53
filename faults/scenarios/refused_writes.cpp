#include "faults/kit/errors.h"
#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario refused_writes() {
  return {.name = "refused_writes",
          .sentence =
              "the server answers A's acquire with an error, as a replica does, or one without "
              "memory; then it takes writes again, and B wants the lock",
          .judged = {Property::mutual_exclusion, Property::liveness, Property::truthful_outcomes,
                     Property::nothing_left},
          .needs = {fault::demoted, fault::reinstated},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.servers.demote_all();
            const auto outcome = a.acquire({.lease = world.timing.long_lease(), .may_fail = true});
            if (world.servers.knows_key() && world.servers.count_lock() > 0) {
              throw NotExercised("a server that was to refuse A's write has taken it");
            }
            world.servers.reinstate_all();
            if (outcome == "acquired") {
              world.steps.stop_at_work(a, before_write, [&] { try_turn(b); });
            } else {
              world.steps.must_get_turn(b);
            }
          }};
}

}  // namespace faults
