#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario stale_write_between() {
  return {.name = "stale_write_between",
          .sentence =
              "A is frozen after its last check until its lease has run out; B gets in and has "
              "read, then A writes, then B",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::held, fault::frozen, fault::thawed, needs_contention},
          .on_any_server = true,
          .promises = {"fencing"},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a);
            auto working = world.steps.freeze_at_work(a, before_write);
            world.steps.must_be_within_lease(a);
            const auto go_on = [&] {
              a.thaw();
              working.wait();
            };
            if (!world.steps.acquires_after_lease(b)) return go_on();
            world.steps.stop_at_work(b, during_read, go_on);
            b.release();
            a.release();
          }};
}

}  // namespace faults
