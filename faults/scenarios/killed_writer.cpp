#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario killed_writer() {
  return {.name = "killed_writer",
          .sentence =
              "A is frozen before its write until its lease has run out; B gets in, writes, and is "
              "killed",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::frozen, fault::killed, fault::thawed, needs_contention},
          .on_any_server = true,
          .promises = {"fencing"},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a);
            auto working = world.steps.freeze_at_work(a, before_write);
            world.steps.must_be_within_lease(a);
            if (!world.steps.acquires_after_lease(b)) return;
            // A write counts once it has arrived, although its work is never answered.
            const auto written = b.storage_link().arm(
                {.direction = Direction::reply, .command = "WRITE"}, Action::drop);
            must_reach(written, b.start_work());
            b.kill();
            a.thaw();
            working.wait();
            a.release();
          }};
}

}  // namespace faults
