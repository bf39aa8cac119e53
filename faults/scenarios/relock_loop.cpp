#include <chrono>

#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario relock_loop() {
  return {
      .name = "relock_loop",
      .sentence = "A takes and gives back the lock many times, then holds it for several leases",
      .judged = {Property::bounded_renewal, Property::truthful_outcomes},
      .needs = {needs_contention},
      .depends_on_time = true,
      .promises = {"renewal"},
      .run = [](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        const auto since = std::chrono::steady_clock::now();
        for (int i = 0; i < 20; ++i) {
          world.steps.must_acquire(a);
          must_release(a);
        }
        // Or most of what is renewed for ever has been by now, and is not counted with what comes.
        world.timing.should_be_within(world.timing.lease() / 2, since);
        world.steps.must_acquire(a);
        world.wait_for.renewals(a, 6);
        try_turn(b);
        a.release();
      }};
}

}  // namespace faults
