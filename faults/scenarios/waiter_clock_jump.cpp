#include "faults/kit/errors.h"
#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario waiter_clock_jump() {
  return {.name = "waiter_clock_jump",
          .sentence =
              "B waits for the lock, and its wall clock is set back by an hour; A keeps the lock",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::stepped, needs_contention},
          .on_any_server = true,
          .run = [](World& world) {
            world.clients.give_wall_clocks();
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            // Long enough to be seen at rest.
            const auto wait = 2 * world.timing.wait_limit();
            const auto limit = wait + world.timing.wait_limit() + Timing::boundary_timeout / 2;
            auto waiting = world.steps.start_waiting(
                b, {.lease = world.timing.long_lease(), .wait = wait, .must_end_within = limit});
            world.clients.step_wall_clock(b, -std::chrono::hours(1));
            if (waiting.gave_up()) throw NotExercised("B gave up before its clock was set back");
            WaitFor::answer(waiting, limit);
            if (!waiting.answered()) return b.kill();  // it would wait for an hour
            (void)waiting.wait();
            a.release();
          }};
}

}  // namespace faults
