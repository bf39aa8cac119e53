#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario stale_write_between() {
  return {.name = "stale_write_between",
          .sentence =
              "A is frozen after its last check until its lease has run out; B gets in and has "
              "read, then A writes, then B",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::held, fault::frozen, fault::thawed, needs_contention},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.must_acquire(a);
            auto working = world.freeze_at_work(a, World::inside_the_work);
            world.must_be_within_lease(a);
            const auto go_on = [&] {
              a.thaw();
              working.wait();
            };
            if (!world.gets_in(b)) return go_on();  // a lock without a lease
            world.stop_at_work(b, World::reading, go_on);
            b.release();
            a.release();
          }};
}

}  // namespace faults
