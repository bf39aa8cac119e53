// Stories about giving the lock back.
#include <algorithm>
#include <string>
#include <vector>

#include "faults/judging/judge.h"
#include "faults/kit/errors.h"
#include "faults/world/world.h"
#include "learning/probes/parts.h"
#include "learning/probes/probes.h"

namespace learning::probe {

using faults::Action;
using faults::Direction;
using faults::Property;
using faults::Scenario;
using faults::World;
namespace fault = faults::fault;

namespace {

// `a` has the lock for longer than its lease, and `b` has had it when this returns.
void let_it_lapse(World& world, faults::Client& a, faults::Client& b,
                  const faults::AcquireRequest& request) {
  world.steps.must_acquire(a, request);
  world.steps.must_be_within_lease(a);
  if (!world.steps.acquires(b)) throw faults::NotExercised("B did not get in");
  b.release();
}

// How many commands `client` has sent to the lock's servers.
std::size_t commands_of(faults::Client& client) {
  std::size_t sent = 0;
  for (std::size_t i = 0; i < client.lock_links(); ++i)
    sent += client.lock_link(i).count_commands();
  return sent;
}

// `a` gives the lock back, and what it sends for that never arrives, nor when it asks again. The
// outcome.
std::string release_in_vain(faults::Client& a) {
  const auto lost = lose_first(a, Direction::command, 2);
  auto releasing = a.start_release();
  must_reach(lost.front(), releasing);
  return releasing.wait();
}

}  // namespace

// Who was not answered does not know.
Scenario release_lost() {
  return {.name = "release_lost",
          .sentence = "the command with which A gives the lock back never arrives",
          .judged = {Property::truthful_outcomes},
          .needs = {fault::reset},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
            if (release_in_vain(a) == "unknown") a.release();
          }};
}

// That nothing is there any more does not say who removed it.
Scenario release_lost_too_late() {
  return {.name = "release_lost_too_late",
          .sentence =
              "A's lease is over, B has had the lock and given it back; the command with which A "
              "gives back what it had never arrives",
          .judged = {Property::truthful_outcomes},
          .needs = {},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            let_it_lapse(world, a, world.client("B"), {.lease = world.timing.lease()});
            const auto lost = a.arm_everywhere({.direction = Direction::command}, Action::reset);
            const auto before = commands_of(a);
            a.release();  // who knows that it is over need not ask
            const bool one_is_lost = std::any_of(lost.begin(), lost.end(),
                                                 [](const auto& fault) { return fault.fired(); });
            if (commands_of(a) > before && !one_is_lost) {
              throw faults::NotExercised("A asked, and what it asked was not lost");
            }
          }};
}

// Who was not answered does not know, also if it was done.
Scenario release_unheard() {
  return {.name = "release_unheard",
          .sentence = "A gives the lock back, and the answer to that is lost",
          .judged = {Property::truthful_outcomes},
          .needs = {fault::reset},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
            const auto lost = a.arm_everywhere({.direction = Direction::reply}, Action::reset);
            auto releasing = a.start_release();
            must_reach(lost.front(), releasing);
            releasing.wait();
          }};
}

// Who has given back works no more, heard or unheard: his lease is left to end.
Scenario release_lost_renewed() {
  return {.name = "release_lost_renewed",
          .sentence =
              "the command with which A gives back a lock that it renews never arrives, and A does "
              "not ask again; B wants the lock, and A is told when its lease is over",
          .judged = {Property::liveness, Property::holder_was_told},
          .needs = {fault::reset},
          .depends_on_time = true,
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            world.steps.must_acquire(a);
            if (release_in_vain(a) != "unknown") return;
            world.steps.must_get_turn(world.client("B"));
            world.wait_for.loss_report(a);
          }};
}

// What has ended without him is not in another's hands for ever.
Scenario late_release() {
  return {.name = "late_release",
          .sentence =
              "A's lease is over, B has had the lock and given it back; A gives back what it had, "
              "and takes the lock again",
          .judged = {Property::truthful_outcomes, Property::owner_only_release, Property::liveness},
          .needs = {faults::needs_contention},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            let_it_lapse(world, a, world.client("B"), {.lease = world.timing.lease()});
            a.release();
            world.steps.must_get_turn(a);
          }};
}

// What was lost is told once.
Scenario released_late_twice() {
  return {.name = "released_late_twice",
          .sentence =
              "A's lease is over, B has had the lock and given it back; A gives back what it had, "
              "and gives it back once more",
          .judged = {Property::truthful_outcomes},
          .needs = {},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            let_it_lapse(world, a, world.client("B"), {});  // it is one lock object then
            if (a.release() == "expired") a.release();
          }};
}

// A hold is its thread's.
Scenario released_by_a_thread() {
  return {.name = "released_by_a_thread",
          .sentence =
              "a thread of A has the lock; another one, which has nothing, gives it back; B wants "
              "the lock",
          .judged = {Property::mutual_exclusion},
          .needs = {},
          .sweep = {},
          .run = [](World& world) {
            world.clients.set_default_lease(
                faults::Timing::long_lease);  // both threads use one lock object then
            auto& a = world.client("A");
            auto& b = world.client("B");
            constexpr int another = 2;
            world.steps.must_acquire(a);
            a.release({.thread = another});
            if (b.acquire({.lease = faults::Timing::long_lease}) == "acquired") {
              world.steps.stop_at_work(b, faults::before_write, [&] { a.work(); });
              b.release();
            }
            a.release();
          }};
}

// What was given back is not lost when it is given back once more.
Scenario released_twice() {
  return {
      .name = "released_twice",
      .sentence = "A takes the lock, gives it back, and gives it back once more",
      .judged = {Property::truthful_outcomes},
      .needs = {},
      .sweep = {},
      .run = [](World& world) {
        world.clients.set_default_lease(faults::Timing::long_lease);  // it is one lock object then
        auto& a = world.client("A");
        world.steps.must_acquire(a);
        a.release();
        a.release();
      }};
}

// Who does not know whether he has left finds that out before he enters again.
Scenario unheard_and_back() {
  return {.name = "unheard_and_back",
          .sentence =
              "the command with which A gives the lock back never arrives; A takes the lock again "
              "and gives it back, and B wants it",
          .judged = {Property::liveness, Property::truthful_outcomes},
          .needs = {fault::reset},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
            if (release_in_vain(a) != "unknown") return;
            const auto again = a.acquire({.lease = faults::Timing::long_lease,
                                          .wait = world.timing.wait_limit(),
                                          .must_get_in = true});
            if (again == "acquired") a.release();
            world.steps.must_get_turn(world.client("B"));
          }};
}

// What was carried out once is not carried out twice.
Scenario inner_release_unheard() {
  return {.name = "inner_release_unheard",
          .sentence =
              "A has the lock twice, and the answer to its inner release is lost; it gives that "
              "level back once more, and works; B wants the lock",
          .judged = {Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::reset},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
            world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
            const auto lost = a.arm_everywhere({.direction = Direction::reply}, Action::reset);
            auto releasing = a.start_release();
            must_reach(lost.front(), releasing);
            if (releasing.wait() == "unknown") a.release();
            world.steps.stop_at_work(a, faults::before_write, [&] { try_turn(b); });
            a.release();
          }};
}

// What is sent for a hold ends that hold, however late it comes, and none that its client has had
// since. (Of several servers each connection keeps its order: there nothing comes so late.)
Scenario release_held_up() {
  return {.name = "release_held_up",
          .sentence =
              "the command with which A gives the lock back stays on its way until A has asked "
              "again, and has taken the lock anew; B wants it",
          .judged = {Property::mutual_exclusion, Property::liveness},
          .needs = {fault::held},
          .sweep = {},
          .run = [](World& world) {
            world.clients.set_reply_timeout(
                world.timing.medium_lease());  // so long A listens to silence
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
            auto held_up = a.lock_link().arm({.direction = Direction::command}, Action::hold_back);
            auto releasing = a.start_release();
            must_reach(held_up, releasing);
            if (releasing.wait() == "unknown") a.release();
            const auto again =
                a.acquire({.lease = faults::Timing::long_lease, .wait = world.timing.lease()});
            held_up.deliver();
            world.wait_for.replies(a);  // or B would be there before it
            if (again == "acquired") {
              if (b.acquire({.lease = faults::Timing::long_lease, .wait = world.timing.lease()}) ==
                  "acquired") {
                world.steps.stop_at_work(b, faults::before_write, [&] { a.work(); });
                b.release();
              }
              a.release();
            }
            world.steps.must_get_turn(b);
          }};
}

}  // namespace learning::probe
