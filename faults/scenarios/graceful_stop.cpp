#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario graceful_stop() {
  return {.name = "graceful_stop",
          .sentence = "A gets SIGTERM in the middle of its work; B wants the lock immediately",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::owner_only_release},
          .needs = {fault::held, fault::terminated, fault::ended},
          .on_any_server = true,
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            auto reading = a.storage_link().arm({.direction = Direction::reply, .command = "READ"},
                                                Action::hold_back);
            auto working = a.start_work();
            must_reach(reading, working);
            a.terminate();
            world.wait_for.rest(a);  // it has heard that
            reading.deliver();
            a.await_end();
            // Far less than A's lease: only a lock that was given back is free by then.
            world.steps.must_get_turn(b);
          }};
}

}  // namespace faults
