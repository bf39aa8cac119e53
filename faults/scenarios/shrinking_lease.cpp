#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario shrinking_lease() {
  return {.name = "shrinking_lease",
          .sentence =
              "A takes the lock for long, and then again for a short time, and works on after that "
              "has expired; B wants the lock",
          .judged = {Property::mutual_exclusion, Property::holder_was_told},
          .needs = {fault::held, needs_contention},
          .promises = {"reentrant"},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            world.steps.must_acquire(a, {.lease = world.timing.lease()});
            world.steps.stop_at_work(a, before_write, [&] {
              world.steps.must_be_within_lease(a);
              const AcquireRequest longer_than_the_short_lease{.lease = world.timing.long_lease(),
                                                               .wait = 2 * world.timing.lease()};
              if (b.acquire(longer_than_the_short_lease) != "acquired") return;
              b.work();
              b.release();
            });
            a.release();
            a.release();
          }};
}

}  // namespace faults
