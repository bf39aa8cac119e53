#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario missing_right() {
  return {.name = "missing_right",
          .sentence =
              "A takes and gives back the lock without the right to a command, each that it uses "
              "in turn; then it has the right again, and B wants the lock",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::forbidden, fault::allowed},
          .promises = {"lease"},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            const auto commands = world.servers.commands_during([&] {
              world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
              must_release(a);
            });
            for (const auto& command : commands) {
              world.servers.without_right_to(command, [&] {
                const auto outcome = a.acquire({.may_fail = true});
                if (outcome == "acquired") a.release({.may_fail = true});
              });
              if (!world.steps.must_get_turn(b)) return;
            }
          }};
}

}  // namespace faults
