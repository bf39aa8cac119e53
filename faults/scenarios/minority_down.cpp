#include <algorithm>

#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario minority_down() {
  return {.name = "minority_down",
          .sentence =
              "a minority of the servers dies (of one server, that one); A wants the lock, then B",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes,
                     Property::nothing_left},
          .needs = {fault::killed},
          .on_any_server = true,
          .fewest_that_elect = 3,
          .fewest_servers = 2,
          .promises = {"quorum"},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            a.release();
            world.servers.kill_last(std::max<std::size_t>(1, world.servers.minority()));
            for (auto* client : {&a, &b}) {
              const AcquireRequest request{.lease = world.timing.long_lease(),
                                           .wait = world.timing.wait_limit(),
                                           .must_get_in = true,
                                           .may_fail = true};
              if (client->acquire(request) != "acquired") return;
              client->work();
              client->release();
            }
          }};
}

}  // namespace faults
