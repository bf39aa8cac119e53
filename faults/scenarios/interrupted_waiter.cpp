#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

const FaultPoint next_command{.direction = Direction::command};

// `holder` gives the lock back. If a thread of `interrupted` still asks, it is before `next`: which
// of the two comes first is otherwise chance.
void release_to(World& world, Client& holder, Client& interrupted, Client& next) {
  world.wait_for.rest(interrupted);  // it may have to say that it leaves
  const auto silent_at_most = world.timing.wait_limit(world.timing.lease());
  auto still_asks = interrupted.lock_link().arm(next_command, Action::hold_back);
  if (!still_asks.fires_within(silent_at_most)) {
    holder.release();
    return;
  }
  auto asks = next.lock_link().arm(next_command, Action::hold_back);
  holder.release();
  still_asks.deliver();
  world.wait_for.replies(interrupted);
  world.servers.catch_up();  // what they announce of it comes before the other one's command
  if (asks.fires_within(silent_at_most)) asks.deliver();
}

void interrupt_first_waiter(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  auto& c = world.client("C");
  world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
  auto first = world.steps.start_waiting(
      b, {.lease = world.timing.long_lease(), .wait = 4 * world.timing.wait_limit()});
  // Until both are at rest, and B has been looked at for as long as a waiter may be silent.
  const auto long_enough =
      2 * world.timing.wait_limit() + 2 * world.timing.wait_limit(world.timing.lease());
  auto second = world.steps.start_waiting(
      c, {.lease = world.timing.long_lease(), .wait = long_enough, .must_get_in = true});
  b.interrupt();
  must_answer(first.wait(), "interrupted");
  release_to(world, a, b, c);
  // Far less than B's lease.
  if (second.wait() != "acquired") return;
  c.work();
  c.release();
  world.wait_for.lock_to_go();
}

}  // namespace

Scenario interrupted_waiter() {
  return {.name = "interrupted_waiter",
          .sentence =
              "B waits for the lock, then C; B's program interrupts its waiting, A gives the lock "
              "back",
          .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes,
                     Property::nothing_left},
          .needs = {fault::interrupted, needs_contention},
          .beyond_stages = "interrupt",
          .run = interrupt_first_waiter};
}

}  // namespace faults
