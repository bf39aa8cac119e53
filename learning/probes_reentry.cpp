// Stories about a lock that is taken again by whoever has it, or entered by invitation.
#include "faults/errors.h"
#include "faults/judging/judge.h"
#include "faults/world.h"
#include "learning/probes.h"
#include "learning/probes_parts.h"

namespace learning::probe {

using faults::Action;
using faults::Direction;
using faults::Property;
using faults::Scenario;
using faults::World;
namespace fault = faults::fault;

namespace {

// What is renewed is renewed, or there is nothing that something else could end.
void renew_once(const World& world, faults::Client& client) {
  world.await_renewals(client, 1);
  world.await_replies(client);
}

constexpr int first_thread = 2;

// By which others join the hold that `client` was given last.
std::string token_told(const faults::Client& client) {
  auto token = client.last_acquire().value("token", std::string{});
  if (!token.empty()) return token;
  throw faults::NotExercised(client.name() +
                             " has the lock, and hold_token() tells no token that another thread "
                             "could join it by");
}

// Has a thread of `a` take the lock as `outer` says, and `a` itself join as `inner` says. False: it
// was not let in.
bool hand_on(World& world, faults::Client& a, std::optional<std::chrono::milliseconds> outer,
             std::optional<std::chrono::milliseconds> inner = World::long_lease) {
  world.must_acquire(a, {.lease = outer, .thread = first_thread});
  const auto token = token_told(a);
  world.await_stragglers(a);
  world.await_replies(a);
  if (!outer) world.must_be_held(a);  // its lease is so short that a slow machine may see its end
  return a.acquire({.lease = inner, .must_get_in = true, .join = token}) == "acquired";
}

}  // namespace

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

// What a client remembers may be over: it begins anew, and neither joins nor waits for itself.
Scenario removed_then_nested() {
  return {.name = "removed_then_nested",
          .sentence =
              "an operator removes A's lock, and A, which knows nothing of it, takes it once more",
          .judged = {Property::liveness, Property::truthful_outcomes},
          .needs = {fault::removed},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            world.must_acquire(a, {.lease = World::long_lease});
            world.await_stragglers(a);
            world.await_replies(a);
            world.remove_lock();
            world.catch_up();
            if (a.acquire({.lease = World::long_lease}) == "acquired") return;
            // Who has been told gives back first.
            if (world.has_word(a)) a.release();
            a.acquire({.lease = World::long_lease, .wait = world.patience(), .must_get_in = true});
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
            // As a text it is less than the first.
            world.must_acquire(a, {.lease = 2 * World::long_lease});
            world.stop_at_work(a, World::inside_the_work,
                               [&] { take_a_turn_after_a_lease(world, b); });
            a.release();
            a.release();
          }};
}

// Who leaves takes nothing of the lease along.
Scenario short_inside() {
  return {.name = "short_inside",
          .sentence =
              "A takes the lock for long, and then again for a short time, gives that back, and "
              "works on when the short time is over; B wants the lock",
          .judged = {Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::held, faults::needs_contention},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.must_acquire(a, {.lease = World::long_lease});
            world.must_acquire(a, {.lease = world.lease()});
            World::must_answer(a.release(), "still_held");
            world.stop_at_work(a, World::inside_the_work,
                               [&] { take_a_turn_after_a_lease(world, b); });
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
            renew_once(world, a);
            world.must_acquire(a);
            renew_once(world, a);
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
            renew_once(world, a);
            world.must_acquire(a);
            world.stop_at_work(a, World::inside_the_work,
                               [&] { take_a_turn_after_a_lease(world, b); });
            a.acquire({.wait = world.patience(), .must_get_in = true});
            for (int levels = 3; levels > 0; --levels) a.release();
          }};
}

// A hold is over when the last one inside has left.
Scenario handed_on() {
  return {.name = "handed_on",
          .sentence =
              "a thread of A takes the lock and hands it on: another one joins, the first gives "
              "back, and B wants the lock while the other one is at work",
          .judged = {Property::mutual_exclusion, Property::truthful_outcomes, Property::liveness},
          .needs = {},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            if (!hand_on(world, a, World::long_lease)) return;
            a.release({.thread = first_thread});
            world.stop_at_work(a, World::inside_the_work, [&] { World::take_a_turn(b); });
            a.release();
            world.must_get_its_turn(b);
          }};
}

// A hold lasts for as long as anybody inside has asked for, also after a renewal.
Scenario joined_for_longer() {
  return {.name = "joined_for_longer",
          .sentence =
              "a thread of A has the lock, which is renewed, and another one joins for long; the "
              "first gives back after a renewal, and B wants the lock while the other one is at "
              "work",
          .judged = {Property::mutual_exclusion, Property::truthful_outcomes, Property::liveness},
          .needs = {},
          .depends_on_time = true,
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            if (!hand_on(world, a, std::nullopt)) return;
            world.await_stragglers(a);
            world.await_replies(a);
            world.await_renewals(a, 1);
            world.await_replies(a);
            a.release({.thread = first_thread});
            world.stop_at_work(a, World::inside_the_work,
                               [&] { take_a_turn_after_a_lease(world, b); });
            a.release();
          }};
}

// Whoever is inside keeps the hold alive.
Scenario joined_and_slow() {
  return {.name = "joined_and_slow",
          .sentence =
              "a thread of A has the lock, another one joins, and the first gives back; the other "
              "one's work takes longer than the lease, and B wants the lock",
          .judged = {Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::held, faults::needs_contention},
          .depends_on_time = true,
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            if (!hand_on(world, a, std::nullopt, std::nullopt)) return;
            a.release({.thread = first_thread});
            world.stop_at_work(a, World::inside_the_work,
                               [&] { take_a_turn_after_a_lease(world, b); });
            a.release();
          }};
}

// Who does not know whether he is inside does not stay there.
Scenario join_unheard() {
  return {.name = "join_unheard",
          .sentence =
              "a thread of A takes the lock and hands it on: another one joins, and the answers to "
              "that are lost; the first gives back, and B wants the lock",
          .judged = {Property::truthful_outcomes, Property::liveness},
          .needs = {fault::reset},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            world.must_acquire(a, {.lease = World::long_lease, .thread = first_thread});
            const auto token = token_told(a);
            world.await_stragglers(a);
            world.await_replies(a);
            const auto lost = lose_first(a, Direction::reply, 2);  // also of who asks again
            auto joining =
                a.start_acquire({.lease = World::long_lease, .may_fail = true, .join = token});
            World::must_reach(lost.front(), joining);
            if (joining.wait() == "acquired") a.release();
            a.release({.thread = first_thread});
            world.must_get_its_turn(world.client("B"));
          }};
}

// An invitation ends with its hold.
Scenario joined_too_late() {
  return {.name = "joined_too_late",
          .sentence =
              "a thread of A takes the lock, hands it on and gives it back; B has it, and gives it "
              "back; then another thread of A joins",
          .judged = {Property::truthful_outcomes},
          .needs = {},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            world.must_acquire(a, {.lease = World::long_lease, .thread = first_thread});
            const auto token = token_told(a);
            a.release({.thread = first_thread});
            World::take_a_turn(world.client("B"));
            const auto joined =
                a.acquire({.lease = World::long_lease, .may_fail = true, .join = token});
            if (joined == "acquired") a.release();
          }};
}

// Every level counts, and not only the last two.
Scenario three_levels() {
  return {
      .name = "three_levels",
      .sentence =
          "A takes the lock three times and works on each of its levels on the way out; B wants "
          "the lock",
      .judged = {Property::mutual_exclusion, Property::truthful_outcomes, Property::liveness},
      .needs = {},
      .sweep = {},
      .story = [](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        for (int level = 1; level <= 3; ++level) {
          world.must_acquire(a, {.lease = World::long_lease});
        }
        for (int level = 3; level >= 1; --level) {
          world.stop_at_work(a, World::inside_the_work, [&] { World::take_a_turn(b); });
          a.release();
        }
        world.must_get_its_turn(b);
      }};
}

// Who is inside enters nothing by a token that is over, and loses nothing by it either.
Scenario old_invitation() {
  return {.name = "old_invitation",
          .sentence =
              "A takes the lock, gives it back and takes it again; inside it joins with the token "
              "of the first time, and works; B wants the lock",
          .judged = {Property::truthful_outcomes, Property::liveness},
          .needs = {},
          .sweep = {},
          .story = [](World& world) {
            auto& a = world.client("A");
            world.must_acquire(a, {.lease = World::long_lease});
            const auto token = token_told(a);
            World::must_answer(a.release(), "released");
            world.must_acquire(a, {.lease = World::long_lease});
            const auto joined =
                a.acquire({.lease = World::long_lease, .may_fail = true, .join = token});
            if (joined == "acquired") a.release();
            if (a.work() == "done") a.release();
            world.must_get_its_turn(world.client("B"));
          }};
}

}  // namespace learning::probe
