// Stories about taking the lock: what is asked, what is answered, and what is not.
#include <optional>
#include <utility>

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

// The first answers to A's acquire are lost, so many; then B has to get in.
void leave_nothing_behind(World& world, int answers) {
  auto& a = world.client("A");
  const auto lost = lose_first(a, Direction::reply, answers);
  auto acquiring = a.start_acquire({.lease = faults::Timing::long_lease, .may_fail = true});
  must_reach(lost.front(), acquiring);
  // Who asked again may have it.
  if (acquiring.wait() == "acquired") a.release();
  world.steps.must_get_turn(world.client("B"));
}

bool is_taken(World& world) {
  return world.nodes.at(0).direct().command({"EXISTS", faults::lock_key}).integer() == 1;
}

}  // namespace

// Who looks first and takes then has looked too early.
Scenario overtaken() {
  return {.name = "overtaken",
          .sentence =
              "a command of A's acquire is long on its way, B gets in and is at work when it comes",
          .judged = {Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::held},
          .sweep = faults::Sweep{.operation = "acquire", .directions = {Direction::command}},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            auto held = world.sweep.arm(a, Action::hold_back);
            auto acquiring =
                a.start_acquire({.lease = faults::Timing::long_lease, .may_fail = true});
            must_reach(held, acquiring);
            world.wait_for.commands_at_all_nodes(
                a);  // or some servers would hear B first, and nobody would get in
            const auto go_on = [&] {
              held.deliver();
              if (acquiring.wait() == "acquired") a.work();
            };
            // A has it already.
            const auto outcome = b.acquire({.lease = faults::Timing::long_lease,
                                            .wait = world.timing.lease() / 3,
                                            .may_fail = true});
            if (outcome != "acquired") return go_on();
            world.steps.stop_at_work(b, faults::before_write, go_on);
            b.release();
          }};
}

// A yes is worth what is left of its lease: nothing, if it comes after that.
Scenario late_yes() {
  return {.name = "late_yes",
          .sentence =
              "the answers to A's acquire come when the lease that they speak of is over and B is "
              "at work",
          .judged = {Property::mutual_exclusion, Property::owner_only_release},
          .needs = {fault::held, fault::delivered},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            auto answers = a.arm_everywhere({.direction = Direction::reply}, Action::hold_back);
            auto acquiring = a.start_acquire({.lease = world.timing.lease(), .may_fail = true});
            for (const auto& answer : answers) must_reach(answer, acquiring);
            if (!world.steps.acquires(b)) throw faults::NotExercised("B did not get in");
            world.steps.stop_at_work(b, faults::before_write, [&] {
              for (auto& answer : answers) answer.deliver();
              if (acquiring.wait() == "acquired") a.work();
            });
            b.release();
          }};
}

// What is renewed is what one was told to have.
Scenario yes_held_up() {
  return {.name = "yes_held_up",
          .sentence =
              "A asks for a lock that it would renew, and the answer that gives it to A stays on "
              "its way; B wants the lock",
          .judged = {Property::liveness},
          .needs = {fault::held, fault::delivered},
          .depends_on_time = true,
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            const auto hold_next = [&a] {
              return a.lock_link().arm({.direction = Direction::reply}, Action::hold_back);
            };
            std::optional answer = hold_next();
            auto acquiring = a.start_acquire({.may_fail = true});
            must_reach(*answer, acquiring);
            while (!is_taken(world)) {  // that was a look, or the like
              auto next = hold_next();
              answer->deliver();
              answer.emplace(std::move(next));
              must_reach(*answer, acquiring);
            }
            world.steps.must_get_turn(world.client("B"));
            answer->deliver();
            if (acquiring.wait() == "acquired") a.release();
          }};
}

// Who does not know whether he got it may give back his own only.
Scenario refusal_lost() {
  return {.name = "refusal_lost",
          .sentence =
              "A has the lock; B asks for it while A is at work, and the answer that refuses it is "
              "lost",
          .judged = {Property::owner_only_release, Property::mutual_exclusion,
                     Property::truthful_outcomes},
          .needs = {fault::reset, faults::needs_contention},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
            auto lost = b.lock_link().arm({.direction = Direction::reply}, Action::reset);
            world.steps.stop_at_work(a, faults::before_write, [&] {
              auto asking =
                  b.start_acquire({.lease = faults::Timing::long_lease, .may_fail = true});
              must_reach(lost, asking);
              if (asking.wait() == "acquired") b.work();
            });
            a.release();
          }};
}

// Who has not heard a yes does not know.
Scenario unheard_yes() {
  return {.name = "unheard_yes",
          .sentence = "B has had the lock; the answer that gives it to A is lost",
          .judged = {Property::truthful_outcomes},
          .needs = {fault::reset},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            try_turn(world.client("B"));  // or nobody may ever have held it
            const auto lost = a.arm_everywhere({.direction = Direction::reply}, Action::reset);
            auto acquiring =
                a.start_acquire({.lease = faults::Timing::long_lease, .may_fail = true});
            must_reach(lost.front(), acquiring);
            if (acquiring.wait() == "acquired") a.release();
          }};
}

// Nor does who has not heard whether he took it back.
Scenario lost_again() {
  return {.name = "lost_again",
          .sentence =
              "the answers to A's acquire are lost, and so are those to what it asks after that",
          .judged = {Property::truthful_outcomes},
          .needs = {fault::reset},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            try_turn(world.client("B"));  // or nobody may ever have held it
            const auto lost = lose_first(a, Direction::reply, 4);
            auto acquiring = a.start_acquire({.lease = faults::Timing::long_lease});
            must_reach(lost.front(), acquiring);
            if (acquiring.wait() == "acquired") a.release();
          }};
}

// Who does not know whether he got it must not leave it behind.
Scenario yes_lost() {
  return {.name = "yes_lost",
          .sentence = "the answer that gives A the lock for long is lost; B wants the lock",
          .judged = {Property::liveness, Property::truthful_outcomes},
          .needs = {fault::reset},
          .sweep = {},
          .run = [](World& world) { leave_nothing_behind(world, 1); }};
}

// The same for who asks again.
Scenario yes_lost_twice() {
  return {
      .name = "yes_lost_twice",
      .sentence =
          "the answer that gives A the lock for long is lost, and the next one too; B wants the "
          "lock",
      .judged = {Property::liveness, Property::truthful_outcomes},
      .needs = {fault::reset},
      .sweep = {},
      .run = [](World& world) { leave_nothing_behind(world, 2); }};
}

// Who does not know whether he is one level deeper gives back that level, and no more.
Scenario inner_yes_lost() {
  return {.name = "inner_yes_lost",
          .sentence =
              "A has the lock and takes it once more; the answers to that are lost, and A works; B "
              "wants the lock",
          .judged = {Property::mutual_exclusion, Property::liveness, Property::truthful_outcomes},
          .needs = {fault::reset},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            acquire_everywhere(world, a);
            const auto lost = lose_first(a, Direction::reply, 2);  // also of who asks again
            auto acquiring =
                a.start_acquire({.lease = faults::Timing::long_lease, .may_fail = true});
            must_reach(lost.front(), acquiring);
            const bool deeper = acquiring.wait() == "acquired";
            world.steps.stop_at_work(a, faults::before_write, [&] { try_turn(b); });
            if (deeper) a.release();
            a.release();
            world.steps.must_get_turn(b);
          }};
}

// Who says that he has it has all of it, its end too.
Scenario half_acquired() {
  return {.name = "half_acquired",
          .sentence =
              "B has had the lock; the connection breaks before a command of A's acquire arrives, "
              "and A, if it has the lock all the same, does not come back",
          .judged = {Property::liveness},
          .needs = {fault::reset},
          .sweep = faults::Sweep{.operation = "acquire", .directions = {Direction::command}},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            try_turn(b);  // or nobody may ever have held it
            auto lost = world.sweep.arm(a, Action::reset);
            auto acquiring = a.start_acquire({.lease = world.timing.lease(), .may_fail = true});
            must_reach(lost, acquiring);
            // Who does not say that he has it has promised nothing.
            if (acquiring.wait() == "acquired") world.steps.must_get_turn(b);
          }};
}

// A refusal takes nothing away.
Scenario asks_twice() {
  return {
      .name = "asks_twice",
      .sentence =
          "A has the lock, asks for it once more, gives back what it has got by that, and works; "
          "B wants the lock",
      .judged = {Property::truthful_outcomes, Property::liveness, Property::mutual_exclusion},
      .needs = {},
      .sweep = {},
      .run = [](World& world) {
        auto& a = world.client("A");
        world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
        const auto second = a.acquire({.lease = faults::Timing::long_lease, .may_fail = true});
        if (second == "acquired") a.release();
        auto& b = world.client("B");
        world.steps.stop_at_work(a, faults::before_write, [&] { try_turn(b); });
        a.release();
        world.steps.must_get_turn(b);
      }};
}

// What was given back may be taken again, at once.
Scenario taken_again() {
  return {
      .name = "taken_again",
      .sentence = "A takes the lock, gives it back, takes it again, and once more",
      .judged = {Property::liveness, Property::truthful_outcomes},
      .needs = {},
      .sweep = {},
      .run = [](World& world) {
        world.clients.set_default_lease(faults::Timing::long_lease);  // it is one lock object then
        auto& a = world.client("A");
        world.steps.must_acquire(a);
        for (int again = 0; again < 2; ++again) {
          if (a.release() != "released") return;
          const auto outcome = a.acquire({.wait = world.timing.wait_limit(), .must_get_in = true});
          if (outcome != "acquired") return;
        }
        a.release();
      }};
}

// Who is told to stop waits no longer.
Scenario told_to_stop() {
  return {
      .name = "told_to_stop",
      .sentence = "A has the lock and B waits for it; B gets SIGTERM, and has to end without it",
      .judged = {Property::liveness, Property::truthful_outcomes},
      .needs = {fault::terminated, fault::ended, faults::needs_contention},
      .sweep = {},
      .run = [](World& world) {
        // Who sleeps through it all comes back when A's lease is over.
        constexpr auto lease = faults::Timing::boundary_timeout;
        constexpr auto long_enough = lease / 2;
        auto& a = world.client("A");
        auto& b = world.client("B");
        world.steps.must_acquire(a, {.lease = lease});
        auto waiting = world.steps.start_waiting(
            b,
            {.lease = faults::Timing::long_lease, .wait = lease, .must_end_within = long_enough});
        // Who goes on and on is stopped there.
        constexpr int many = 50;
        auto more =
            b.lock_link().arm({.direction = Direction::command, .nth = many}, Action::hold_back);
        b.terminate();
        faults::WaitFor::answer(waiting, long_enough + faults::Timing::node_timeout);
        a.release();  // who still waits gets in, or he would not end for a long time
        if (more.fired()) more.deliver();
        waiting.wait();
        b.await_end();
      }};
}

// Between asking and hearing the answer there is time for a release.
Scenario early_word() {
  return {.name = "early_word",
          .sentence =
              "A gives the lock back while B's refusal is on its way to B, who hears of the "
              "release first",
          .judged = {Property::liveness},
          .needs = {fault::held, fault::delivered},
          .depends_on_time = true,
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
            // It has waited before: what it listens with is there.
            faults::must_answer(b.acquire({.wait = world.timing.lease() / 3}), "contended");
            auto refusal = b.lock_link().arm({.direction = Direction::reply}, Action::hold_back);
            auto waiting = b.start_acquire({.lease = faults::Timing::long_lease,
                                            .wait = 3 * world.timing.lease(),
                                            .must_get_in = true});
            must_reach(refusal, waiting);
            a.release();
            faults::WaitFor::answer(waiting);  // so long it may take to hear the word
            refusal.deliver();
            if (waiting.wait() == "acquired") b.release();
          }};
}

}  // namespace learning::probe
