#include "tools/learning/learners_scenarios.h"

#include <fmt/format.h>

#include "faults/judging/judge.h"
#include "faults/kit/errors.h"
#include "faults/world/world.h"

namespace learning {
namespace {

using faults::Action;
using faults::Client;
using faults::Direction;
using faults::Fault;
using faults::NotExercised;
using faults::Property;
using faults::Scenario;
using faults::Timing;
using faults::World;

// A scenario, and the exercises whose locks have to withstand it.
struct Given {
  char first;
  char last;
  Scenario scenario;
};

void try_again_while_held(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
  const auto again = a.acquire({.lease = world.timing.long_lease(), .may_fail = true});
  if (again == "acquired") a.release();
  a.release();
  world.steps.must_get_turn(b);
}

void work_on_after_a_second_try(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  world.steps.must_acquire(a);
  world.wait_for.renewals(a, 1);
  const auto again = a.acquire({.may_fail = true});
  const auto b_wants_it = [&] {
    const faults::AcquireRequest past_the_lease{.lease = world.timing.long_lease(),
                                                .wait = 3 * world.timing.lease()};
    if (b.acquire(past_the_lease) != "acquired") return;
    b.work();
    b.release();
  };
  faults::must_answer(world.steps.stop_at_work(a, faults::before_write, b_wants_it), "done");
  if (again == "acquired") a.release();
  a.release();
  world.steps.must_get_turn(b);
}

void freeze_in_renewal(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  auto renewal = world.sweep.arm(a, Action::hold_back);
  world.steps.must_acquire(a);
  renewal.await(2 * world.timing.wait_limit());
  a.freeze();
  // A reply now waits in A's socket; a command stays on its long way to the server.
  if (world.sweep.is_at_reply()) renewal.deliver();
  const auto go_on = [&] {
    if (!world.sweep.is_at_reply()) renewal.deliver();
    a.thaw();
  };
  if (!world.steps.acquires_after_lease(b)) return go_on();
  world.steps.stop_at_work(b, faults::before_write, [&] {
    go_on();
    world.wait_for.rest(a);
  });
  b.release();
}

void kill_the_second_hold(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  world.steps.must_acquire(a);
  a.release();
  world.steps.must_acquire(a);
  a.kill();
  world.steps.must_be_within_lease(a);
  world.steps.must_get_turn(b);
}

void lose_two_replies_to_acquire(World& world) {
  world.clients.set_default_lease(world.timing.medium_lease());
  auto& a = world.client("A");
  auto& b = world.client("B");
  auto first = a.lock_link().arm({.direction = Direction::reply, .nth = 1}, Action::reset);
  auto second = a.lock_link().arm({.direction = Direction::reply, .nth = 2}, Action::reset);
  auto acquiring = a.start_acquire();
  must_reach(first, acquiring);
  const bool gave_back = acquiring.wait() == "acquired" && !a.release().empty();
  world.steps.must_get_turn(
      b, gave_back ? world.timing.medium_lease() / 2 : world.timing.wait_limit());
}

// Releases until the lock knows what came of it.
void release_at_last(Client& client) {
  constexpr int most_times = 4;
  for (int i = 0; i < most_times; ++i) {
    if (client.release() != "unknown") return;
  }
}

void lose_two_replies_to_release(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  auto& c = world.client("C");
  world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
  auto first = a.lock_link().arm({.direction = Direction::reply, .nth = 1}, Action::reset);
  auto second = a.lock_link().arm({.direction = Direction::reply, .nth = 2}, Action::reset);
  release_at_last(a);
  if (!first.fired()) throw NotExercised("A's release sent no command");
  const bool b_is_inside = b.acquire({.lease = world.timing.long_lease(),
                                      .wait = world.timing.wait_limit(),
                                      .must_get_in = true}) == "acquired";
  if (!b_is_inside) return;
  world.steps.stop_at_work(b, faults::before_write, [&] {
    a.release();
    try_turn(c);
  });
  b.release();
}

void leave_release_unknown(World& world) {
  world.clients.set_default_lease(world.timing.medium_lease());
  auto& a = world.client("A");
  auto& b = world.client("B");
  world.steps.must_acquire(a);
  auto lost = a.lock_link().arm({.direction = Direction::command, .nth = 1}, Action::reset);
  auto releasing = a.start_release();
  must_reach(lost, releasing);
  (void)releasing.wait();
  world.steps.must_get_turn(b);
}

void lengthen_the_lease(World& world) {
  auto& a = world.client("A");
  auto& b = world.client("B");
  world.steps.must_acquire(a, {.lease = world.timing.lease()});
  world.steps.must_be_within_lease(a);
  world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
  const auto b_wants_it = [&] {
    const faults::AcquireRequest longer_than_the_short_lease{.lease = world.timing.long_lease(),
                                                             .wait = 2 * world.timing.lease()};
    if (b.acquire(longer_than_the_short_lease) != "acquired") return;
    b.work();
    b.release();
  };
  faults::must_answer(world.steps.stop_at_work(a, faults::before_write, b_wants_it), "done");
  a.release();
  faults::must_answer(a.work(), "done");
  a.release();
  world.steps.must_get_turn(b);
}

std::vector<Given> on_one_server() {
  const std::vector<Property> judged{Property::liveness, Property::mutual_exclusion,
                                     Property::owner_only_release, Property::truthful_outcomes};
  return {
      {'1',
       '5',
       {.name = "second_try",
        .sentence =
            "A, which holds the lock, tries to take it again, and gives it back; B wants it",
        .judged = judged,
        .needs = {},
        .run = try_again_while_held}},
      {'5',
       '5',
       {.name = "second_try_renewed",
        .sentence = "A, whose lock is renewed, tries to take it again, and works on past its "
                    "lease; B wants it",
        .judged = {Property::mutual_exclusion, Property::holder_was_told, Property::liveness,
                   Property::truthful_outcomes},
        .needs = {faults::fault::held, faults::needs_contention},
        .depends_on_time = true,
        .run = work_on_after_a_second_try}},
      {'2',
       '6',
       {.name = "killed_second_hold",
        .sentence = "A takes the lock, gives it back, takes it again, and is killed; B wants it",
        .judged = {Property::liveness, Property::mutual_exclusion, Property::truthful_outcomes},
        .needs = {faults::fault::killed, faults::needs_contention},
        .run = kill_the_second_hold}},
      {'3',
       '6',
       {.name = "two_replies_lost_acquire",
        .sentence = "two replies in a row to A's acquire are lost; B wants the lock",
        .judged = judged,
        .needs = {faults::fault::reset},
        .run = lose_two_replies_to_acquire}},
      {'3',
       '6',
       {.name = "two_replies_lost_release",
        .sentence =
            "two replies in a row to A's release are lost, and A releases until it knows; B "
            "gets in, then A releases again, to be sure; C wants the lock",
        .judged = judged,
        .needs = {faults::fault::reset},
        .run = lose_two_replies_to_release}},
      {'5',
       '6',
       {.name = "unknown_release",
        .sentence = "a command of A's release is lost on its way, and A leaves it at that; B wants "
                    "the lock",
        .judged = judged,
        .needs = {faults::fault::reset},
        .depends_on_time = true,
        .run = leave_release_unknown}},
      {'6',
       '8',
       {.name = "growing_lease",
        .sentence = "A takes the lock for a short time, and then again for long, and works on when "
                    "the short time is over; B wants the lock",
        .judged = {Property::mutual_exclusion, Property::holder_was_told, Property::liveness,
                   Property::truthful_outcomes},
        .needs = {faults::fault::held, faults::needs_contention},
        .run = lengthen_the_lease}}};
}

// A lock that counts to a number written down is right on so many servers, and on no others.
std::vector<Given> on_other_numbers_of_servers() {
  std::vector<Given> given;
  for (const int nodes : {3, 7}) {
    for (const auto* name : {"minority_down", "majority_down", "split_vote"}) {
      auto scenario = *faults::find_scenario(name);
      scenario.name += fmt::format("_of_{}", nodes);
      scenario.sentence += fmt::format(" ({} servers)", nodes);
      scenario.nodes = nodes;
      given.push_back({'7', '8', std::move(scenario)});
    }
  }
  return given;
}

const std::vector<Given>& all_given() {
  static const auto all = [] {
    auto given = on_one_server();
    given.push_back({'5', '6', frozen_renewal()});
    for (auto& other : on_other_numbers_of_servers()) given.push_back(std::move(other));
    return given;
  }();
  return all;
}

}  // namespace

std::vector<const Scenario*> learners_scenarios(char exercise) {
  std::vector<const Scenario*> scenarios;
  for (const auto& given : all_given()) {
    const bool is_its = given.first <= exercise && exercise <= given.last;
    if (is_its) scenarios.push_back(&given.scenario);
  }
  return scenarios;
}

const Scenario& frozen_renewal() {
  static const Scenario scenario{
      .name = "frozen_renewal",
      .sentence = "A is frozen at a boundary of a renewal until its lease has run out and B is in",
      .judged = {Property::owner_only_renewal, Property::mutual_exclusion},
      .needs = {faults::fault::held, faults::fault::frozen, faults::fault::thawed},
      .promises = {"renewal"},
      .sweep =
          faults::Sweep{.operation = "renew", .directions = {Direction::command, Direction::reply}},
      .run = freeze_in_renewal};
  return scenario;
}

const Scenario& outlived_lease() {
  static const Scenario scenario{
      .name = "outlived_lease",
      .sentence = "A holds the lock for longer than its lease; B wants it",
      .judged = {},
      .needs = {},
      .run = [](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        world.steps.must_acquire(a);
        (void)b.acquire({.lease = world.timing.long_lease(), .wait = 2 * world.timing.lease()});
      }};
  return scenario;
}

}  // namespace learning
