#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

// A release that still waits for the renewal under way, on its thread or on its connection, when
// its client would have given up on a silent server, can only be let go on: then that renewal
// cannot come after it. Returns whether the renewal is still held back.
bool release_past(World& world, Client& a, Fault& renewal) {
  const auto sent = a.count_key_commands();
  auto releasing = a.start_release();
  WaitFor::answer(releasing, world.timing.wait_limit() / 2 + world.timing.gives_up_after());
  const bool waits = !releasing.answered() && a.count_key_commands() == sent;
  if (waits) world.sweep.deliver(a, renewal);
  WaitFor::answer(releasing, world.timing.wait_limit());
  if (!releasing.answered()) {
    throw NotExercised("A's release does not end while its renewal is under way");
  }
  const auto outcome = releasing.wait();
  if (outcome != "no_outcome") must_answer(outcome, "released");
  return !waits;
}

void renew_after_release(World& world) {
  // Time enough before A gives up on a connection that keeps silent.
  world.clients.set_default_lease(
      world.timing.lease_that_outlasts_a_loss(2 * world.timing.medium_lease()));
  auto& a = world.client("A");
  auto& b = world.client("B");
  auto renewal = world.sweep.arm(a, Action::hold_back);
  world.steps.must_acquire(a);
  renewal.await(2 * world.timing.wait_limit());
  world.servers.must_hold_lock_of(a);
  const bool is_held_back = release_past(world, a, renewal);
  world.steps.must_acquire(b, {.lease = world.timing.long_lease()});
  if (is_held_back) world.sweep.deliver(a, renewal);
  b.work();
  b.release();
}

}  // namespace

Scenario late_renewal() {
  return {
      .name = "late_renewal",
      .sentence =
          "a renewal of A's is delayed at one of its boundaries while A releases the lock and B "
          "takes it; then it continues",
      .judged = {Property::owner_only_renewal, Property::mutual_exclusion, Property::liveness},
      .needs = {fault::held},
      .depends_on_time = true,
      .promises = {"renewal"},
      .sweep = Sweep{.operation = "renew", .directions = {Direction::command, Direction::reply}},
      .run = renew_after_release};
}

}  // namespace faults
