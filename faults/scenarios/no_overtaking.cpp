#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario no_overtaking() {
  return {
      .name = "no_overtaking",
      .sentence = "B waits for the lock, then C, then D; A gives it back",
      .judged = {Property::first_come, Property::mutual_exclusion},
      .needs = {needs_contention},
      .beyond_stages = "queue",
      .on_any_server = true,
      .run = [](World& world) {
        auto& a = world.client("A");
        const std::vector<Client*> clients{&world.client("B"), &world.client("C"),
                                           &world.client("D")};
        world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
        std::vector<Pending> asking;
        for (auto* client : clients) {
          asking.push_back(world.steps.start_waiting(
              *client, {.lease = world.timing.long_lease(), .wait = world.timing.wait_limit()}));
        }
        a.release();
        take_turns(world, clients, asking);
      }};
}

}  // namespace faults
