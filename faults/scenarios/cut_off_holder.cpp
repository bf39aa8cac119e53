#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

void work_while_cut_off(World& world, std::initializer_list<Direction> directions) {
  world.set_default_lease(world.roomy_lease());
  world.set_client_timeout(world.roomy_lease());  // A gives the lock back in the end, to nobody
  auto& a = world.client("A");
  auto& b = world.client("B");
  world.must_acquire(a);
  world.stop_at_work(a, World::reading, [&] {
    for (const auto direction : directions) a.cut_off(direction);
    world.take_a_patient_turn(b);
  });
  a.kill();  // or its goodbye would wait for a server that it cannot hear
}

Scenario cut_off_holder() {
  return {.name = "cut_off_holder",
          .sentence = "A is cut off from the server while it works; B wants the lock",
          .judged = {Property::holder_was_told, Property::mutual_exclusion},
          .needs = {fault::cut_off, needs_contention},
          .depends_on_time = true,
          .sweep = {},
          .story = [](World& world) {
            work_while_cut_off(world, {Direction::command, Direction::reply});
          }};
}

}  // namespace faults
