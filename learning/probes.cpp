#include "learning/probes.h"

#include <deque>

#include "faults/errors.h"
#include "faults/judging/judge.h"
#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace learning {
namespace {

using faults::Action;
using faults::Direction;
using faults::Property;
using faults::Scenario;
using faults::World;
namespace fault = faults::fault;

// Wants the lock until a short lease of its holder's must be over, and works if it gets in.
void take_a_turn_after_a_lease(const World& world, faults::Client& client) {
  if (client.acquire({.wait = 2 * world.lease()}) != "acquired") return;
  client.work();
  client.release();
}

// Arms a fault on `client`'s way to each server.
std::deque<faults::Fault> arm_everywhere(const World& world, faults::Client& client,
                                         const faults::Where& where, Action action) {
  std::deque<faults::Fault> armed;
  for (std::size_t node = 0; node < world.nodes(); ++node) {
    armed.push_back(client.lock_link(node).arm(where, action));
  }
  return armed;
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
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            auto answers = arm_everywhere(world, a, {.direction = Direction::reply}, Action::hold);
            auto acquiring = a.start_acquire({.lease = world.lease(), .may_fail = true});
            for (const auto& answer : answers) World::must_reach(answer, acquiring);
            if (!world.gets_in(b)) throw faults::NotExercised("B did not get in");
            world.stop_at_work(b, World::inside_the_work, [&] {
              for (auto& answer : answers) answer.deliver();
              if (acquiring.wait() == "acquired") a.work();
            });
            b.release();
          }};
}

// Whoever is inside may not be any more: a second acquire has to ask the server.
Scenario lost_then_nested() {
  return {.name = "lost_then_nested",
          .sentence =
              "A's lease is over and B is at work; A, which has not given the lock back, takes it "
              "once more",
          .judged = {Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::held, faults::needs_contention},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.must_acquire(a, {.lease = world.lease()});
            world.must_be_within_lease(a);
            if (!world.gets_in(b)) throw faults::NotExercised("B did not get in");
            world.stop_at_work(b, World::inside_the_work, [&] {
              if (a.acquire({.lease = world.lease()}) == "acquired") a.work();
            });
            b.release();
          }};
}

// Who looks first and takes then has looked too early.
Scenario overtaken() {
  return {
      .name = "overtaken",
      .sentence =
          "a command of A's acquire is long on its way, B gets in and is at work when it comes",
      .judged = {Property::mutual_exclusion, Property::truthful_outcomes},
      .needs = {fault::held},
      .sweep = faults::Sweep{.operation = "acquire", .directions = {Direction::command}},
      .story = [](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        auto held = world.arm_at_position(a, Action::hold);
        auto acquiring = a.start_acquire({.lease = World::long_lease, .may_fail = true});
        World::must_reach(held, acquiring);
        world.await_stragglers(a);  // or some servers would hear B first, and nobody would get in
        const auto go_on = [&] {
          held.deliver();
          if (acquiring.wait() == "acquired") a.work();
        };
        // A has it already.
        if (b.acquire({.lease = World::long_lease, .may_fail = true}) != "acquired") {
          return go_on();
        }
        world.stop_at_work(b, World::inside_the_work, go_on);
        b.release();
      }};
}

// Who does not know whether he got it may give back his own only.
Scenario refusal_lost() {
  return {.name = "refusal_lost",
          .sentence = "A has the lock; B asks for it, and the answer that refuses it is lost",
          .judged = {Property::owner_only_release, Property::mutual_exclusion},
          .needs = {fault::reset, faults::needs_contention},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.must_acquire(a, {.lease = World::long_lease});
            auto lost = b.lock_link().arm({.direction = Direction::reply}, Action::reset);
            auto asking = b.start_acquire({.lease = World::long_lease, .may_fail = true});
            World::must_reach(lost, asking);
            asking.wait();
            a.work();
            a.release();
          }};
}

// Who was not answered does not know.
Scenario release_lost() {
  return {.name = "release_lost",
          .sentence = "the command with which A gives the lock back never arrives",
          .judged = {Property::truthful_outcomes},
          .needs = {fault::reset},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            world.must_acquire(a, {.lease = World::long_lease});
            auto lost = arm_everywhere(world, a, {.direction = Direction::command}, Action::reset);
            // For who asks again.
            auto lost_again = arm_everywhere(world, a, {.direction = Direction::command, .nth = 2},
                                             Action::reset);
            auto releasing = a.start_release();
            World::must_reach(lost.front(), releasing);
            const auto outcome = releasing.wait();
            lost.clear();
            lost_again.clear();
            if (outcome == "unknown") a.release();
          }};
}

// Who does not know whether he got it must not leave it behind.
Scenario yes_lost() {
  return {.name = "yes_lost",
          .sentence = "the answer that gives A the lock for long is lost; B wants the lock",
          .judged = {Property::liveness, Property::truthful_outcomes},
          .needs = {fault::reset},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            const auto lost =
                arm_everywhere(world, a, {.direction = Direction::reply}, Action::reset);
            auto acquiring = a.start_acquire({.lease = World::long_lease, .may_fail = true});
            World::must_reach(lost.front(), acquiring);
            // Who asked again may have it.
            if (acquiring.wait() == "acquired") a.release();
            world.must_get_its_turn(world.client("B"));
          }};
}

// What has ended without him is not in another's hands for ever.
Scenario late_release() {
  return {.name = "late_release",
          .sentence =
              "A's lease is over, B has had the lock and given it back; A gives back what it had",
          .judged = {Property::truthful_outcomes, Property::owner_only_release},
          .needs = {faults::needs_contention},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.must_acquire(a, {.lease = world.lease()});
            world.must_be_within_lease(a);
            if (!world.gets_in(b)) throw faults::NotExercised("B did not get in");
            b.release();
            a.release();
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
          .story = [](World& world) {
            world.set_default_lease(World::long_lease);  // both threads use one lock object then
            auto& a = world.client("A");
            auto& b = world.client("B");
            constexpr int another = 2;
            world.must_acquire(a);
            a.release({.thread = another});
            if (b.acquire({.lease = World::long_lease}) == "acquired") {
              world.stop_at_work(b, World::inside_the_work, [&] { a.work(); });
              b.release();
            }
            a.release();
          }};
}

// A refusal takes nothing away.
Scenario asks_twice() {
  return {.name = "asks_twice",
          .sentence = "A has the lock, asks for it once more, and gives back what it has got",
          .judged = {Property::truthful_outcomes, Property::liveness},
          .needs = {},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            world.must_acquire(a, {.lease = World::long_lease});
            const auto second = a.acquire({.lease = World::long_lease, .may_fail = true});
            if (second == "acquired") a.release();
            a.release();
            world.must_get_its_turn(world.client("B"));
          }};
}

// What was renewed often ends as soon as what was not.
Scenario killed_after_renewals() {
  return {.name = "killed_after_renewals",
          .sentence = "A is killed when it has renewed its lock for a while; B wants the lock",
          .judged = {Property::liveness, Property::mutual_exclusion},
          .needs = {fault::killed, faults::needs_contention},
          .depends_on_time = true,
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.must_acquire(a);
            world.await_renewals(a, 10);
            world.await_replies(a);
            a.kill();
            // Far less than ten leases.
            world.must_get_its_turn(b, 5 * world.lease());
          }};
}

// Who names a lease wants it to end: only what nobody named is renewed.
Scenario named_lease() {
  return {
      .name = "named_lease",
      .sentence = "A takes the lock for a time that it names, and does not come back; B wants it",
      .judged = {Property::liveness},
      .needs = {faults::needs_contention},
      .sweep = {},
      .story = [](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        world.must_acquire(a, {.lease = world.lease()});
        world.must_be_within_lease(a);
        world.must_get_its_turn(b);
      }};
}

// An inner release ends a level, and not the lease.
Scenario killed_after_inner_unlock() {
  return {.name = "killed_after_inner_unlock",
          .sentence = "A takes the lock twice, gives it back once and is killed; B wants the lock",
          .judged = {Property::liveness, Property::mutual_exclusion},
          .needs = {fault::killed, faults::needs_contention},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            world.must_acquire(a, {.lease = world.roomy_lease()});
            world.must_acquire(a, {.lease = world.roomy_lease()});
            const auto outcome = a.release();
            world.must_be_within_lease(a);
            World::must_answer(outcome, "still_held");
            a.kill();
            world.must_get_its_turn(world.client("B"));
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
      .story = [](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        // As a text, "9" is greater than "11".
        constexpr int turns = 8;
        for (int i = 0; i < turns; ++i) {
          world.must_acquire(b, {.lease = World::long_lease});
          World::must_answer(b.release(), "released");
        }
        // Twice: who only counts on, and does not set the count, is behind by one then.
        faults::leave_counters_behind(world, {0, 2});
        World::take_a_turn(world.client("C"));  // 8, 10, 8, 10, 10
        faults::cut_off_from(b, {3, 4});        // B counts 9, 11, 9: its token is 11
        world.must_acquire(b, {.lease = World::long_lease});
        b.kill();
        world.remove_lock();
        faults::cut_off_from(a, {1});
        world.must_get_its_turn(a);
      }};
}

// Two threads of one program exclude each other too.
Scenario other_thread() {
  return {.name = "other_thread",
          .sentence = "a thread of A has the lock, and another one wants it, until it is free",
          .judged = {Property::truthful_outcomes, Property::liveness},
          .needs = {},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            constexpr int another = 2;
            world.must_acquire(a, {.lease = World::long_lease});
            const auto outcome = a.acquire(
                {.lease = World::long_lease, .wait = world.lease() / 3, .thread = another});
            if (outcome == "acquired") a.release({.thread = another});
            a.release();
            a.acquire({.lease = World::long_lease,
                       .wait = world.patience(),
                       .must_get_in = true,
                       .thread = another});
          }};
}

// The other way round than shrinking_lease.
Scenario growing_lease() {
  return {.name = "growing_lease",
          .sentence =
              "A takes the lock for a short time, and then again for long, and works on when the "
              "short time is over; B wants the lock",
          .judged = {Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::held, faults::needs_contention},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.must_acquire(a, {.lease = world.lease()});
            world.must_be_within_lease(a);
            world.must_acquire(a, {.lease = World::long_lease});
            world.stop_at_work(a, World::inside_the_work,
                               [&] { take_a_turn_after_a_lease(world, b); });
            a.release();
            a.release();
          }};
}

// An inner release ends a level, and not the renewal.
Scenario inner_unlock_then_long() {
  return {.name = "inner_unlock_then_long",
          .sentence =
              "A takes the lock twice and gives it back once, and its work takes longer than its "
              "lease; B wants the lock",
          .judged = {Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::held, faults::needs_contention},
          .depends_on_time = true,
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.must_acquire(a);
            world.must_acquire(a);
            World::must_answer(a.release(), "still_held");
            world.stop_at_work(a, World::inside_the_work,
                               [&] { take_a_turn_after_a_lease(world, b); });
            a.release();
          }};
}

// All levels are of one hold, which is renewed for all.
Scenario long_inside() {
  return {.name = "long_inside",
          .sentence =
              "A takes the lock twice, its work inside takes longer than its lease, and it takes "
              "the lock once more; B wants the lock",
          .judged = {Property::mutual_exclusion, Property::truthful_outcomes, Property::liveness},
          .needs = {fault::held, faults::needs_contention},
          .depends_on_time = true,
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.must_acquire(a);
            world.must_acquire(a);
            world.stop_at_work(a, World::inside_the_work,
                               [&] { take_a_turn_after_a_lease(world, b); });
            a.acquire({.wait = world.patience(), .must_get_in = true});
            for (int levels = 3; levels > 0; --levels) a.release();
          }};
}

// A vote may come when nobody waits for it any more: it has to be given back all the same.
Scenario late_votes() {
  return {.name = "late_votes",
          .sentence =
              "a majority of the servers stands still when A asks, and goes on when A has been "
              "refused; B wants the lock",
          .judged = {Property::mutual_exclusion, Property::liveness},
          .needs = {fault::frozen, fault::thawed},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.freeze_nodes(world.majority());
            const auto outcome = a.acquire({.lease = World::long_lease, .may_fail = true});
            world.thaw_nodes(world.majority());
            if (outcome == "acquired") throw faults::NotExercised("A got in without a majority");
            world.must_get_its_turn(b);
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
          .story = [](World& world) {
            auto& a = world.client("A");
            world.kill_nodes(world.majority());
            const auto come_back = [&] {
              world.bring_back_nodes(world.majority());
              world.take_a_patient_turn(world.client("B"));
            };
            const auto outcome = a.acquire({.lease = World::long_lease, .may_fail = true});
            if (outcome != "acquired") return come_back();
            world.stop_at_work(a, World::inside_the_work, come_back);
          }};
}

}  // namespace

const std::vector<Probe>& probes() {
  static const std::vector<Probe> all{
      {.scenario = overtaken(), .from_stage = "stage1"},
      {.scenario = refusal_lost(), .from_stage = "stage3"},
      {.scenario = yes_lost(), .from_stage = "stage3"},
      {.scenario = late_release(), .from_stage = "stage3"},
      {.scenario = released_by_a_thread(), .from_stage = "stage3"},
      {.scenario = asks_twice(), .from_stage = "stage3"},
      {.scenario = release_lost(), .from_stage = "stage3"},
      {.scenario = killed_after_renewals(), .from_stage = "stage5"},
      {.scenario = named_lease(), .from_stage = "stage5"},
      {.scenario = late_yes(), .from_stage = "stage5"},
      {.scenario = killed_after_inner_unlock(), .from_stage = "stage6"},
      {.scenario = lost_then_nested(), .from_stage = "stage6"},
      {.scenario = other_thread(), .from_stage = "stage6"},
      {.scenario = growing_lease(), .from_stage = "stage6"},
      {.scenario = inner_unlock_then_long(), .from_stage = "stage6"},
      {.scenario = long_inside(), .from_stage = "stage6"},
      {.scenario = late_votes(), .from_stage = "stage7"},
      {.scenario = too_few_votes(), .from_stage = "stage7"},
      {.scenario = next_token(), .from_stage = "stage8"}};
  return all;
}

const faults::Scenario* find_probe(std::string_view name) {
  for (const auto& probe : probes()) {
    if (probe.scenario.name == name) return &probe.scenario;
  }
  return nullptr;
}

}  // namespace learning
