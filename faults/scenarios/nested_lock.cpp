#include <chrono>

#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario nested_lock() {
  return {.name = "nested_lock",
          .sentence = "the thread of A that holds the lock takes it again; B wants it in between",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {needs_contention},
          .on_any_server = true,
          .promises = {"reentrant"},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            const auto since = std::chrono::steady_clock::now();
            world.steps.must_acquire(a);
            // Less than a lease: the lease must not be what lets A in.
            const bool nested =
                a.acquire({.wait = world.timing.lease() / 2, .must_get_in = true}) == "acquired";
            Timing::must_be_within(world.timing.lease() * 5 / 6, since);
            try_turn(b);
            // A may answer by itself that it still holds the lock.
            Timing::must_be_within(world.timing.lease(), since);
            if (nested) a.release();
            a.work();
            a.release();
          }};
}

}  // namespace faults
