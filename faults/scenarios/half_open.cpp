#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

Scenario half_open() {
  return {.name = "half_open",
          .sentence = "A's commands reach the server, its replies do not reach A; B wants the lock",
          .judged = {Property::holder_was_told, Property::mutual_exclusion},
          .needs = {fault::cut_off, needs_contention},
          .depends_on_time = true,
          .on_any_server = true,
          .promises = {"loss_notice"},
          .run = [](World& world) { work_while_cut_off(world, {Direction::reply}); }};
}

}  // namespace faults
