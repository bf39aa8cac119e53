#include <chrono>
#include <deque>

#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

// It reaches the first three servers, and must raise its token there and at the others.
std::deque<Fault> hold_back_after_first_three(Client& b) {
  std::deque<Fault> late;
  for (const std::size_t i : {3U, 4U}) {
    late.push_back(b.lock_link(i).arm({.direction = Direction::command}, Action::hold_back));
  }
  for (const std::size_t i : {0U, 1U, 2U}) {
    late.push_back(
        b.lock_link(i).arm({.direction = Direction::command, .nth = 2}, Action::hold_back));
  }
  return late;
}

void arrive_late(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  leave_counters_behind(world, {0, 2});        // 0, 1, 0, 1, 1
  auto late = hold_back_after_first_three(b);  // 1, 2, 1: its token is 2
  const auto since = std::chrono::steady_clock::now();
  auto acquiring =
      b.start_acquire({.lease = world.timing.long_lease(), .wait = world.timing.wait_limit()});
  for (const auto& message : late) must_reach(message, acquiring);
  // node1 forgets B before its time, and A gets that one and the last two: 2, 2, 2.
  world.servers.at(0).step_clock(2 * world.timing.long_lease());
  world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
  world.steps.stop_at_work(a, before_write, [&] {
    // All three forget A before its time. B's acquire makes the last two count to 3.
    for (const std::size_t i : {0U, 3U, 4U})
      world.servers.at(i).step_clock(4 * world.timing.long_lease());
    // Or B has given up, and its commands are of no more use.
    Timing::must_be_within(Timing::node_timeout, since);
    for (auto& message : late) message.deliver();
    // A refused client asks again, and gets a greater token.
    if (acquiring.wait() == "acquired") b.work();
  });
  a.release();
}

}  // namespace

Scenario late_acquire() {
  return {.name = "late_acquire",
          .sentence =
              "B's acquire reaches two of its servers only after A, whose token is the same, was "
              "there and has lost them",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::cut_off, fault::held, fault::stepped, fault::delivered},
          .promises = {"fencing", "quorum"},
          .run = arrive_late};
}

}  // namespace faults
