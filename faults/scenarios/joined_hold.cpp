#include <string>

#include "faults/kit/errors.h"
#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario joined_hold() {
  return {.name = "joined_hold",
          .sentence =
              "A hands its hold on to B, which enters it, and leaves; C wants the lock while B "
              "works, and after B has left and has tried in vain to enter once more",
          .judged = {Property::mutual_exclusion, Property::liveness, Property::owner_only_release,
                     Property::truthful_outcomes},
          .needs = {fault::held},
          .promises = {"join"},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            auto& c = world.client("C");
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            const auto hold = a.last_acquire().value("token", std::string());
            if (hold.empty()) throw NotExercised("A's hold has no token to hand on");
            world.steps.must_acquire(b, {.lease = world.timing.long_lease(), .join = hold});
            a.release();
            world.steps.stop_at_work(b, before_write, [&] { try_turn(c); });
            b.release();
            // Far less than that lease: a hold that has ended must not begin again.
            b.acquire({.lease = world.timing.long_lease(), .join = hold});
            world.steps.must_get_turn(c);
          }};
}

}  // namespace faults
