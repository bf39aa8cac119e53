// Stories about a hold that is entered by its token: it is handed on, or is over by then.
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "faults/judging/judge.h"
#include "faults/kit/errors.h"
#include "faults/world/world.h"
#include "learning/probes/parts.h"
#include "learning/probes/probes.h"

namespace learning::probe {

using faults::Direction;
using faults::Property;
using faults::Scenario;
using faults::World;
namespace fault = faults::fault;

namespace {

constexpr int first_thread = 2;

// By which others join the hold that `client` was given last.
std::string token_told(const faults::Client& client) {
  auto token = client.last_acquire().value("token", std::string{});
  if (!token.empty()) return token;
  throw faults::NotExercised(client.name() +
                             " has the lock, and hold_token() tells no token that another thread "
                             "could join it by");
}

// Has a thread of `a` take the lock as `outer` says, and every server answer; the token by which
// others join.
std::string token_of_a_thread(World& world, faults::Client& a,
                              std::optional<std::chrono::milliseconds> outer) {
  world.steps.must_acquire(a, {.lease = outer, .thread = first_thread});
  auto token = token_told(a);
  hear_all(world, a);
  return token;
}

// The same, and `a` itself joins as `inner` says. False: it was not let in.
bool hand_on(World& world, faults::Client& a, std::optional<std::chrono::milliseconds> outer,
             std::optional<std::chrono::milliseconds> inner = faults::Timing::long_lease) {
  const auto token = token_of_a_thread(world, a, outer);
  if (!outer)
    world.nodes.must_hold_lock_of(a);  // its lease is so short that a slow machine may see its end
  return a.acquire({.lease = inner, .must_get_in = true, .join = token}) == "acquired";
}

}  // namespace

// A hold is over when the last one inside has left.
Scenario handed_on() {
  return {.name = "handed_on",
          .sentence =
              "a thread of A takes the lock and hands it on: another one joins, the first gives "
              "back, and B wants the lock while the other one is at work",
          .judged = {Property::mutual_exclusion, Property::truthful_outcomes, Property::liveness},
          .needs = {},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            if (!hand_on(world, a, faults::Timing::long_lease)) return;
            a.release({.thread = first_thread});
            world.steps.stop_at_work(a, faults::before_write, [&] { try_turn(b); });
            a.release();
            world.steps.must_get_turn(b);
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
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            if (!hand_on(world, a, std::nullopt)) return;
            hear_all(world, a);
            world.wait_for.renewals(a, 1);
            world.wait_for.replies(a);
            a.release({.thread = first_thread});
            work_beyond_a_lease(world, a, b);
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
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            if (!hand_on(world, a, std::nullopt, std::nullopt)) return;
            a.release({.thread = first_thread});
            work_beyond_a_lease(world, a, b);
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
          .run = [](World& world) {
            auto& a = world.client("A");
            const auto token = token_of_a_thread(world, a, faults::Timing::long_lease);
            const auto lost = lose_first(a, Direction::reply, 2);  // also of who asks again
            auto joining = a.start_acquire(
                {.lease = faults::Timing::long_lease, .may_fail = true, .join = token});
            must_reach(lost.front(), joining);
            if (joining.wait() == "acquired") a.release();
            a.release({.thread = first_thread});
            world.steps.must_get_turn(world.client("B"));
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
          .run = [](World& world) {
            auto& a = world.client("A");
            world.steps.must_acquire(a,
                                     {.lease = faults::Timing::long_lease, .thread = first_thread});
            const auto token = token_told(a);
            a.release({.thread = first_thread});
            try_turn(world.client("B"));
            const auto joined =
                a.acquire({.lease = faults::Timing::long_lease, .may_fail = true, .join = token});
            if (joined == "acquired") a.release();
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
          .run = [](World& world) {
            auto& a = world.client("A");
            world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
            const auto token = token_told(a);
            faults::must_answer(a.release(), "released");
            world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
            const auto joined =
                a.acquire({.lease = faults::Timing::long_lease, .may_fail = true, .join = token});
            if (joined == "acquired") a.release();
            if (a.work() == "done") a.release();
            world.steps.must_get_turn(world.client("B"));
          }};
}

// Whoever is inside goes deeper by his own token too.
Scenario joined_from_inside() {
  return {
      .name = "joined_from_inside",
      .sentence =
          "A takes the lock, joins its own hold by its token, gives that level back, and works; "
          "B wants the lock",
      .judged = {Property::mutual_exclusion, Property::truthful_outcomes, Property::liveness},
      .needs = {},
      .sweep = {},
      .run = [](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
        const auto joined = a.acquire(
            {.lease = faults::Timing::long_lease, .may_fail = true, .join = token_told(a)});
        if (joined == "acquired") a.release();
        world.steps.stop_at_work(a, faults::before_write, [&] { try_turn(b); });
        a.release();
        world.steps.must_get_turn(b);
      }};
}

// Who is inside counts on every server, also on one that was given the hold back.
Scenario handed_on_after_repairs() {
  return {.name = "handed_on_after_repairs",
          .sentence =
              "a thread of A has the lock, which one server after the other loses until it was a "
              "majority of them, and after each A renews it; another thread joins, the first gives "
              "back, and B wants the lock while the other one is at work",
          .judged = {Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::removed},
          .depends_on_time = true,
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            const auto token = token_of_a_thread(world, a, std::nullopt);
            for (std::size_t lost = 1; lost <= world.nodes.majority(); ++lost) {
              world.nodes.remove_lock_on(world.nodes.size() - lost);
              // One finds that out, the next one finds it mended.
              world.wait_for.renewals(a, 3);
            }
            const auto joined =
                a.acquire({.lease = faults::Timing::long_lease, .may_fail = true, .join = token});
            if (joined != "acquired") return;
            hear_all(world, a);
            a.release({.thread = first_thread});
            world.steps.stop_at_work(a, faults::before_write, [&] { try_turn(b); });
            a.release();
          }};
}

// One server's word lets nobody join, either.
Scenario joined_at_one() {
  return {
      .name = "joined_at_one",
      .sentence =
          "a thread of A has the lock, all servers but the first lose it, and another thread joins "
          "and works, if it got in; B wants the lock",
      .judged = {Property::mutual_exclusion},
      .needs = {fault::removed, fault::held, fault::delivered},
      .sweep = {},
      .run = [](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        const auto token = token_of_a_thread(world, a, faults::Timing::long_lease);
        std::vector<faults::Fault> no;
        for (std::size_t node = 1; node < world.nodes.size(); ++node) {
          world.nodes.remove_lock_on(node);
          no.push_back(
              a.lock_link(node).arm({.direction = Direction::reply}, faults::Action::hold_back));
        }
        auto joining =
            a.start_acquire({.lease = faults::Timing::long_lease, .may_fail = true, .join = token});
        for (const auto& one : no) must_reach(one, joining);
        // The one yes comes before every no.
        world.wait_for.replies(a, 0);
        faults::WaitFor::answer(joining);
        for (auto& one : no) one.deliver();
        if (joining.wait() != "acquired") return try_turn(b);
        world.steps.stop_at_work(a, faults::before_write, [&] { try_turn(b); });
        a.release();
      }};
}

}  // namespace learning::probe
