#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario lost_word() {
  return {.name = "lost_word",
          .sentence = "B waits for the message of A's release; the message is lost",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::dropped, needs_contention},
          .depends_on_time = true,
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = world.timing.medium_lease()});
            auto waiting = world.steps.start_waiting(b, {.lease = world.timing.medium_lease(),
                                                         .wait = world.timing.wait_limit(),
                                                         .must_get_in = true});
            const auto lost = b.lock_link().arm(
                {.direction = Direction::reply, .command = "message"}, Action::drop);
            a.release();
            must_reach(lost, waiting);
            if (waiting.wait() != "acquired") return;
            b.work();
            b.release();
          }};
}

}  // namespace faults
