#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario client_clock_jump() {
  return {.name = "client_clock_jump",
          .sentence =
              "A works longer than its lease, and its wall clock is set back by an hour meanwhile; "
              "B wants the lock",
          .judged = {Property::mutual_exclusion, Property::owner_only_release,
                     Property::truthful_outcomes},
          .needs = {fault::held, fault::stepped, needs_contention},
          .depends_on_time = true,
          .promises = {"renewal"},
          .run = [](World& world) {
            world.clients.give_wall_clocks();
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a);
            // The storage takes its time over A's read: that is the slow work. A lock that measures
            // its lease by the wall clock believes that it has an hour more.
            world.steps.stop_at_work(a, during_read, [&] {
              world.clients.step_wall_clock(a, -std::chrono::hours(1));
              world.steps.wait_for_turn(b);
            });
            a.release();
          }};
}

}  // namespace faults
