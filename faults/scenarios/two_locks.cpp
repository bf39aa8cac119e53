#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario two_locks() {
  return {.name = "two_locks",
          .sentence =
              "A, which holds the lock, takes another one and gives that back; B wants the lock "
              "while A works, and when A has given it back",
          .judged = {Property::mutual_exclusion, Property::liveness, Property::owner_only_release,
                     Property::truthful_outcomes},
          .needs = {fault::held, needs_contention},
          .on_any_server = true,
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            must_answer(a.acquire({.lease = world.timing.long_lease(), .key = "another"}),
                        "acquired");
            a.release({.key = "another"});
            world.steps.stop_at_work(a, before_write, [&] { try_turn(b); });
            a.release();
            world.steps.must_get_turn(b);
          }};
}

}  // namespace faults
