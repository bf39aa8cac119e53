#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

void work_while_cut_off(World& world, std::initializer_list<Direction> directions) {
  const auto lease = world.timing.lease_told_of_silence();
  // It may be renewed until A's own lease has expired, if A's commands arrive.
  const auto limit = lease + world.timing.wait_limit(lease);
  world.clients.set_default_lease(lease);
  // In the end A's release gets no answer. Shorter than the lease: the two must not tie.
  world.clients.set_reply_timeout(world.timing.medium_lease() / 2);
  auto& a = world.client("A");
  auto& b = world.client("B");
  world.steps.must_acquire(a);
  const auto cut_off = [&] {
    for (const auto direction : directions) a.cut_off(direction);
    world.steps.take_turn_after_lease(b, limit);
  };
  // Its work has ended; its release may take for ever.
  world.steps.stop_at_work_for(a, during_read, cut_off, 2 * limit);
  a.kill();  // or its goodbye would wait for a server that it cannot hear
}

Scenario cut_off_holder() {
  return {.name = "cut_off_holder",
          .sentence = "A is cut off from the server while it works; B wants the lock",
          .judged = {Property::holder_was_told, Property::mutual_exclusion},
          .needs = {fault::cut_off, needs_contention},
          .depends_on_time = true,
          .on_any_server = true,
          .promises = {"loss_notice"},
          .run = [](World& world) {
            work_while_cut_off(world, {Direction::command, Direction::reply});
          }};
}

}  // namespace faults
