// Stories about several servers.
#include <initializer_list>
#include <vector>

#include "faults/judging/judge.h"
#include "faults/kit/errors.h"
#include "faults/scenarios/scenarios.h"
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

// `client` asks, and hears what the first two servers answer after what all others do. The outcome.
std::string ask_with_two_slow(const World& world, faults::Client& client,
                              const faults::AcquireRequest& request) {
  auto first = client.lock_link(0).arm({.direction = Direction::reply}, Action::hold_back);
  auto second = client.lock_link(1).arm({.direction = Direction::reply}, Action::hold_back);
  auto asking = client.start_acquire(request);
  must_reach(first, asking);
  must_reach(second, asking);
  for (std::size_t node = 2; node < world.nodes.size(); ++node)
    world.wait_for.replies(client, node);
  faults::WaitFor::answer(asking);
  first.deliver();
  second.deliver();
  return asking.wait();
}

// B takes the lock at the first three of five nodes and is killed, an operator removes it, and A
// takes it at all nodes but `without`.
void follow_a_dead_holder(World& world, faults::Client& a, faults::Client& b,
                          std::initializer_list<std::size_t> without) {
  faults::cut_off_from(b, {3, 4});
  world.steps.must_acquire(b, {.lease = faults::Timing::long_lease});
  b.kill();
  world.nodes.remove_lock();
  faults::cut_off_from(a, without);
  world.steps.must_get_turn(a);
}

// A majority of the servers, the last ones, loses the lock.
void lose_at_most(World& world) {
  for (std::size_t lost = 1; lost <= world.nodes.majority(); ++lost) {
    world.nodes.remove_lock_on(world.nodes.size() - lost);
  }
}

// So many servers are down when A asks that the others are no majority, and come back while A
// works, if it got in; then B wants the lock.
void ask_without_a_majority(World& world) {
  auto& a = world.client("A");
  const auto away = world.nodes.minority() + 1;
  world.nodes.kill_last(away);
  const auto come_back = [&] {
    world.nodes.restart_last(away);
    world.steps.wait_for_turn(world.client("B"));
  };
  const auto outcome = a.acquire({.lease = faults::Timing::long_lease, .may_fail = true});
  if (outcome != "acquired") return come_back();
  world.steps.stop_at_work(a, faults::before_write, come_back);
}

}  // namespace

// A vote may come when nobody waits for it any more: it has to be given back all the same.
Scenario late_votes() {
  return {.name = "late_votes",
          .sentence =
              "a majority of the servers stands still when A asks, and goes on when A has been "
              "refused; B wants the lock",
          .judged = {Property::mutual_exclusion, Property::liveness},
          .needs = {fault::frozen, fault::thawed},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.nodes.freeze_last(world.nodes.majority());
            const auto outcome = a.acquire({.lease = faults::Timing::long_lease, .may_fail = true});
            world.nodes.thaw_last(world.nodes.majority());
            if (outcome == "acquired") throw faults::NotExercised("A got in without a majority");
            world.steps.must_get_turn(b);
          }};
}

// Two who each have less than a majority must not both get in.
Scenario too_few_votes() {
  return {.name = "too_few_votes",
          .sentence =
              "a majority of the servers is down when A asks, and comes back while A works, if it "
              "got in; B wants the lock",
          .judged = {Property::mutual_exclusion, Property::liveness},
          .needs = {fault::killed, fault::restarted},
          .sweep = {},
          .run = ask_without_a_majority};
}

// Where so many refuse that no majority is left, nobody has to wait for who is silent.
Scenario refused_by_most() {
  return {.name = "refused_by_most",
          .sentence = "A has the lock at all servers, the last of which stands still; B asks once",
          .judged = {Property::truthful_outcomes},
          .needs = {fault::frozen, fault::thawed},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            acquire_everywhere(world, a);
            world.nodes.freeze_last(1);
            b.acquire({.lease = faults::Timing::long_lease, .may_fail = true});
            world.nodes.thaw_last(1);
            a.release();
          }};
}

// Who is refused together does not come back together.
Scenario waits_in_step() {
  return {.name = "waits_in_step",
          .sentence = "A has the lock; B, C and D want it, each for four leases, and give up",
          .judged = {Property::truthful_outcomes},
          .needs = {},
          .depends_on_time = true,
          .sweep = {},
          .run = [](World& world) {
            acquire_everywhere(world, world.client("A"));
            std::vector<faults::Pending> waiting;
            for (const auto* name : {"B", "C", "D"}) {
              waiting.push_back(world.client(name).start_acquire(
                  {.lease = faults::Timing::long_lease, .wait = 4 * world.timing.lease()}));
            }
            for (auto& waiter : waiting) waiter.wait();
          }};
}

// What gives a vote back comes to its server after what asked for it.
Scenario release_comes_first() {
  return {.name = "release_comes_first",
          .sentence =
              "two servers are slow to hear A's acquire, which the others let in, and hear it when "
              "A has given the lock back; another one is down then, and B wants the lock",
          .judged = {Property::liveness},
          .needs = {fault::held, fault::delivered, fault::killed},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto first = a.lock_link(0).arm({.direction = Direction::command}, Action::hold_back);
            auto second = a.lock_link(1).arm({.direction = Direction::command}, Action::hold_back);
            auto acquiring = a.start_acquire({.lease = faults::Timing::long_lease});
            must_reach(first, acquiring);
            must_reach(second, acquiring);
            if (acquiring.wait() != "acquired") throw faults::NotExercised("A was not let in");
            a.release();
            first.deliver();
            second.deliver();
            world.wait_for.replies(a);
            world.nodes.kill_last(1);
            world.steps.must_get_turn(world.client("B"));
          }};
}

// How many a majority is follows from how many servers there are.
Scenario two_of_three() {
  return {.name = "two_of_three",
          .sentence = "the lock has three servers, and one of them is down; A wants the lock",
          .judged = {Property::liveness, Property::truthful_outcomes},
          .needs = {fault::killed},
          .sweep = {},
          .run =
              [](World& world) {
                world.nodes.kill_last(world.nodes.minority());
                world.steps.must_get_turn(world.client("A"));
              },
          .nodes = 3};
}

Scenario three_of_seven() {
  return {.name = "three_of_seven",
          .sentence =
              "the lock has seven servers, four of which are down when A asks, and come back while "
              "A works, if it got in; B wants the lock",
          .judged = {Property::mutual_exclusion, Property::liveness},
          .needs = {fault::killed, fault::restarted},
          .sweep = {},
          .run = ask_without_a_majority,
          .nodes = 7};
}

// Half of an even number is no majority.
Scenario two_of_four() {
  return {.name = "two_of_four",
          .sentence =
              "the lock has four servers, two of which are down when A asks, and come back while A "
              "works, if it got in; B wants the lock",
          .judged = {Property::mutual_exclusion, Property::liveness},
          .needs = {fault::killed, fault::restarted},
          .sweep = {},
          .run = ask_without_a_majority,
          .nodes = 4};
}

// One server that removed it is not a majority that did.
Scenario release_at_one() {
  return {.name = "release_at_one",
          .sentence =
              "A gives the lock back, and what it sends for that stays on its way to all servers "
              "but one",
          .judged = {Property::truthful_outcomes},
          .needs = {fault::held},
          .sweep = {},
          .run = [](World& world) {
            world.clients.set_reply_timeout(
                world.timing.medium_lease());  // so long A listens to silence
            auto& a = world.client("A");
            acquire_everywhere(world, a);
            std::vector<faults::Fault> held_up;
            for (std::size_t node = 1; node < world.nodes.size(); ++node) {
              held_up.push_back(
                  a.lock_link(node).arm({.direction = Direction::command}, Action::hold_back));
            }
            auto releasing = a.start_release();
            for (const auto& one : held_up) must_reach(one, releasing);
            releasing.wait();
            for (auto& one : held_up) one.deliver();
          }};
}

// A majority of answers is not a majority that says yes.
Scenario slow_yes() {
  return {.name = "slow_yes",
          .sentence =
              "a minority of the servers still holds a dead A's lock and refuses B at once; the "
              "others let B in, and two of them are slow to say so",
          .judged = {Property::liveness, Property::truthful_outcomes},
          .needs = {fault::killed, fault::removed, fault::held, fault::delivered},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            acquire_everywhere(world, a);
            a.kill();
            for (std::size_t free = 0; free < world.nodes.majority(); ++free)
              world.nodes.remove_lock_on(free);
            const auto outcome = ask_with_two_slow(
                world, b,
                {.lease = faults::Timing::long_lease, .must_get_in = true, .may_fail = true});
            if (outcome == "acquired") b.release();
          }};
}

// One server's word is no majority's.
Scenario nested_without_one() {
  return {.name = "nested_without_one",
          .sentence =
              "A has the lock on all servers, the last one loses it, and A takes it once more; the "
              "first two are slow to answer",
          .judged = {Property::liveness, Property::truthful_outcomes},
          .needs = {fault::removed, fault::held, fault::delivered},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            acquire_everywhere(world, a);
            world.nodes.remove_lock_on(world.nodes.size() - 1);
            ask_with_two_slow(world, a,
                              {.lease = faults::Timing::long_lease,
                               .wait = world.timing.wait_limit(),
                               .must_get_in = true});
          }};
}

// Who has it takes it again with a majority, like everybody else.
Scenario nested_without_most() {
  return {
      .name = "nested_without_most",
      .sentence =
          "A has the lock on all servers, a majority of them loses it, and A, which knows "
          "nothing of that, takes it once more; B wants the lock",
      .judged = {Property::mutual_exclusion},
      .needs = {fault::removed},
      .sweep = {},
      .run = [](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        acquire_everywhere(world, a);
        lose_at_most(world);
        const auto again = a.acquire(
            {.lease = faults::Timing::long_lease, .wait = world.timing.lease(), .may_fail = true});
        if (again != "acquired") return try_turn(b);
        world.steps.stop_at_work(a, faults::before_write, [&] { try_turn(b); });
        a.release();
      }};
}

// What a majority has lost is lost, whatever the others say.
Scenario lost_by_most() {
  return {
      .name = "lost_by_most",
      .sentence =
          "while A works, a majority of the servers loses its lock, and A's next renewal is due; "
          "then B wants the lock",
      .judged = {Property::mutual_exclusion},
      .needs = {fault::held, fault::removed},
      .depends_on_time = true,
      .sweep = {},
      .run = [](World& world) {
        world.clients.set_default_lease(world.timing.medium_lease());
        auto& a = world.client("A");
        auto& b = world.client("B");
        world.steps.must_acquire(a);
        world.steps.stop_at_work(a, faults::during_read, [&] {
          // The next renewal is then a while away, and finds none of them.
          world.wait_for.renewals(a, 1);
          hear_all(world, a);
          lose_at_most(world);
          world.wait_for.renewals(a, 1);
          world.wait_for.loss_report(a);
          try_turn(b);
        });
        a.release();
      }};
}

// What a server has lost it is given again, before the next one loses it.
Scenario worn_away() {
  return {.name = "worn_away",
          .sentence =
              "while A works, one server after the other loses its lock, and between two of them A "
              "renews it; then B wants the lock",
          .judged = {Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::held, fault::removed},
          .depends_on_time = true,
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a);
            hear_all(world, a);
            world.steps.stop_at_work(a, faults::before_write, [&] {
              for (std::size_t lost = 1; lost < world.nodes.majority(); ++lost) {
                world.nodes.remove_lock_on(world.nodes.size() - lost);
                // One finds that out, the next one finds it mended.
                world.wait_for.renewals(a, 3);
              }
              world.nodes.remove_lock_on(world.nodes.size() - world.nodes.majority());
              try_turn(b);
            });
            a.release();
          }};
}

// Whichever majority is asked, one of it knows the greatest token that was given.
Scenario next_token() {
  return {
      .name = "next_token",
      .sentence =
          "B takes the lock at three of five nodes that have counted differently, and is killed; "
          "an operator removes the lock, and A takes it at four, without one of B's",
      .judged = {Property::liveness, Property::mutual_exclusion},
      .needs = {fault::cut_off, fault::killed, fault::removed},
      .sweep = {},
      .run = [](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        // As a text, "9" is greater than "11".
        constexpr int turns = 8;
        for (int i = 0; i < turns; ++i) {
          world.steps.must_acquire(b, {.lease = faults::Timing::long_lease});
          faults::must_answer(b.release(), "released");
        }
        // Twice: who only counts on, and does not set the count, is behind by one then.
        faults::leave_counters_behind(world, {0, 2});
        try_turn(world.client("C"));             // 8, 10, 8, 10, 10
        follow_a_dead_holder(world, a, b, {1});  // B counts 9, 11, 9: its token is 11
      }};
}

// Less than a majority that agrees is as little as one server that knows.
Scenario agreed_by_two() {
  return {.name = "agreed_by_two",
          .sentence =
              "B takes the lock at three of five nodes, two of which have counted alike, and is "
              "killed; an operator removes the lock, and A takes it without these two",
          .judged = {Property::liveness, Property::mutual_exclusion},
          .needs = {fault::cut_off, fault::killed, fault::removed},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            faults::leave_counters_behind(world, {0});  // 0, 1, 1, 1, 1
            follow_a_dead_holder(world, a, b, {1, 2});  // B counts 1, 2, 2: its token is 2
          }};
}

// A second round takes time as well.
Scenario late_second_round() {
  return {
      .name = "late_second_round",
      .sentence =
          "A reaches three of five nodes that have counted differently; what they answer to its "
          "second round comes when its lease is over and B is at work",
      .judged = {Property::mutual_exclusion, Property::owner_only_release},
      .needs = {fault::cut_off, fault::held, fault::delivered},
      .sweep = {},
      .run = [](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        faults::leave_counters_behind(world, {0, 1});  // 0, 0, 1, 1, 1
        faults::cut_off_from(a, {3, 4});               // A counts 1, 1, 2: its token is 2
        std::vector<faults::Fault> answers;
        for (std::size_t node = 0; node < world.nodes.majority(); ++node) {
          answers.push_back(
              a.lock_link(node).arm({.direction = Direction::reply, .nth = 2}, Action::hold_back));
        }
        auto acquiring = a.start_acquire({.lease = world.timing.lease(), .may_fail = true});
        for (const auto& answer : answers) must_reach(answer, acquiring);
        if (!world.steps.acquires(b)) throw faults::NotExercised("B did not get in");
        world.steps.stop_at_work(b, faults::before_write, [&] {
          if (acquiring.answered()) throw faults::Stalled("A did not wait for its second round");
          for (auto& answer : answers) answer.deliver();
          if (acquiring.wait() == "acquired") a.work();
        });
        b.release();
      }};
}

// Who gives a server back what it has lost brings a token that may be older than its count.
Scenario late_repair() {
  return {.name = "late_repair",
          .sentence =
              "two servers lose A's lock and count for B, which is refused twice; then A's renewal "
              "gives it back to them, A releases, and B takes it",
          .judged = {Property::mutual_exclusion, Property::liveness},
          .needs = {fault::held, fault::delivered, fault::removed},
          .depends_on_time = true,
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a);
            hear_all(world, a);
            std::vector<faults::Fault> renewals;
            for (std::size_t node = world.nodes.majority(); node < world.nodes.size(); ++node) {
              renewals.push_back(
                  a.lock_link(node).arm({.direction = Direction::command}, Action::hold_back));
            }
            world.wait_for.renewals(a, 1);
            for (const auto& renewal : renewals) renewal.await(faults::Timing::boundary_timeout);
            for (std::size_t node = world.nodes.majority(); node < world.nodes.size(); ++node) {
              world.nodes.remove_lock_on(node);
            }
            for (int i = 0; i < 2; ++i) {
              try_turn(b);
              world.wait_for.replies(b);  // what it took back, too
            }
            for (auto& renewal : renewals) renewal.deliver();
            world.wait_for.renewals(a, 3);
            world.wait_for.replies(a);
            a.release();
            world.steps.must_get_turn(b);
          }};
}

}  // namespace learning::probe
