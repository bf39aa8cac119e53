#include <chrono>

#include "faults/kit/errors.h"
#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {

void cut_off_from(Client& client, std::initializer_list<std::size_t> nodes) {
  for (const auto node : nodes) {
    for (const auto direction : {Direction::command, Direction::reply}) {
      client.lock_link(node).cut_off(direction);
    }
  }
}

void leave_counters_behind(World& world, std::initializer_list<std::size_t> nodes) {
  constexpr std::size_t all = 5;
  if (world.servers.size() != all) throw NotExercised("this scenario needs five servers");
  auto& c = world.client("C");
  cut_off_from(c, nodes);
  try_turn(c);
}

namespace {

void take_same_token(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  leave_counters_behind(world, {1, 2});  // 1, 0, 0, 1, 1
  // A reaches the first three: 2, 1, 1. Its token is 2, and it must raise the other two.
  cut_off_from(a, {3, 4});
  auto raising = a.lock_link(2).arm({.direction = Direction::command, .nth = 2}, Action::hold_back);
  const auto since = std::chrono::steady_clock::now();
  auto acquiring = a.start_acquire({.lease = world.timing.long_lease()});
  must_reach(raising, acquiring);
  // node3 forgets A before its time, and B gets the last three: 2, 2, 2.
  world.servers.at(2).step_clock(2 * world.timing.long_lease());
  world.steps.must_acquire(b, {.lease = world.timing.long_lease()});
  world.steps.stop_at_work(b, before_write, [&] {
    // Or A has given up, and its command is of no more use.
    Timing::must_be_within(Timing::node_timeout, since);
    raising.deliver();
    if (acquiring.wait() == "acquired") a.work();
  });
  b.release();
}

}  // namespace

Scenario same_token() {
  return {.name = "same_token",
          .sentence =
              "A has a token that too few nodes know, and loses one of them to B, whose token is "
              "the same, before it can raise it there",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::cut_off, fault::held, fault::stepped},
          .promises = {"fencing", "quorum"},
          .run = take_same_token};
}

}  // namespace faults
