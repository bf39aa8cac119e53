#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario no_overtaking() {
  return {.name = "no_overtaking",
          .sentence = "B waits for the lock, then C, then D; A gives it back",
          .judged = {Property::first_come, Property::mutual_exclusion},
          .needs = {needs_contention},
          .needs_queue = true,
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            const std::vector<Client*> clients{&world.client("B"), &world.client("C"),
                                               &world.client("D")};
            world.must_acquire(a, {.lease = World::long_lease});
            std::vector<Pending> asking;
            for (auto* client : clients) {
              asking.push_back(world.wait_in_line(
                  *client, {.lease = World::long_lease, .wait = world.patience()}));
            }
            a.release();
            let_in_one_by_one(clients, asking);
          }};
}

}  // namespace faults
