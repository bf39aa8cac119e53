#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario waiter_clock_jump() {
  return {.name = "waiter_clock_jump",
          .sentence =
              "B waits for the lock, and its wall clock is set back by an hour; A keeps the lock",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::stepped, needs_contention},
          .run = [](World& world) {
            world.clients.give_wall_clocks();
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = Timing::long_lease});
            const auto limit = 2 * world.timing.wait_limit() + Timing::boundary_timeout / 2;
            auto waiting = world.steps.start_waiting(b, {.lease = Timing::long_lease,
                                                         .wait = world.timing.wait_limit(),
                                                         .must_end_within = limit});
            world.clients.step_wall_clock(b, -std::chrono::hours(1));
            WaitFor::answer(waiting, limit);
            if (!waiting.answered()) return b.kill();  // it would wait for an hour
            (void)waiting.wait();
            a.release();
          }};
}

}  // namespace faults
