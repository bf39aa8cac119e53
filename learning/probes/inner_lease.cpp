// Stories about the lease of a lock that is taken again by whoever has it, and about its renewal.
#include "faults/judging/judge.h"
#include "faults/world/world.h"
#include "learning/probes/parts.h"
#include "learning/probes/probes.h"

namespace learning::probe {

using faults::Property;
using faults::Scenario;
using faults::World;
namespace fault = faults::fault;

namespace {

// What is renewed is renewed, or there is nothing that something else could end.
void renew_once(const World& world, faults::Client& client) {
  world.wait_for.renewals(client, 1);
  world.wait_for.replies(client);
}

}  // namespace

// An inner release ends a level, and not the lease.
Scenario killed_after_inner_unlock() {
  return {.name = "killed_after_inner_unlock",
          .sentence = "A takes the lock twice, gives it back once and is killed; B wants the lock",
          .judged = {Property::liveness, Property::mutual_exclusion},
          .needs = {fault::killed, faults::needs_contention},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            world.steps.must_acquire(a, {.lease = world.timing.medium_lease()});
            world.steps.must_acquire(a, {.lease = world.timing.medium_lease()});
            const auto outcome = a.release();
            world.steps.must_be_within_lease(a);
            faults::must_answer(outcome, "still_held");
            a.kill();
            world.steps.must_get_turn(world.client("B"));
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
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = world.timing.lease()});
            world.steps.must_be_within_lease(a);
            // As a text it is less than the first.
            world.steps.must_acquire(a, {.lease = 2 * faults::Timing::long_lease});
            work_beyond_a_lease(world, a, b);
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
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
            world.steps.must_acquire(a, {.lease = world.timing.lease()});
            faults::must_answer(a.release(), "still_held");
            work_beyond_a_lease(world, a, b);
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
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a);
            renew_once(world, a);
            world.steps.must_acquire(a);
            renew_once(world, a);
            faults::must_answer(a.release(), "still_held");
            work_beyond_a_lease(world, a, b);
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
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a);
            renew_once(world, a);
            world.steps.must_acquire(a);
            work_beyond_a_lease(world, a, b);
            a.acquire({.wait = world.timing.wait_limit(), .must_get_in = true});
            for (int levels = 3; levels > 0; --levels) a.release();
          }};
}

}  // namespace learning::probe
