// Stories about a lock that is taken again by whoever has it.
#include "faults/judging/judge.h"
#include "faults/kit/errors.h"
#include "faults/world/world.h"
#include "learning/probes/parts.h"
#include "learning/probes/probes.h"

namespace learning::probe {

using faults::Property;
using faults::Scenario;
using faults::World;
namespace fault = faults::fault;

// Whoever is inside may not be any more: a second acquire has to ask the server.
Scenario lost_then_nested() {
  return {.name = "lost_then_nested",
          .sentence =
              "A's lease is over and B is at work; A, which has not given the lock back, takes it "
              "once more",
          .judged = {Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::held, faults::needs_contention},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a, {.lease = world.timing.lease()});
            world.steps.must_be_within_lease(a);
            if (!world.steps.acquires(b)) throw faults::NotExercised("B did not get in");
            world.steps.stop_at_work(b, faults::before_write, [&] {
              if (a.acquire({.lease = world.timing.lease()}) == "acquired") a.work();
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
          .run = [](World& world) {
            auto& a = world.client("A");
            acquire_everywhere(world, a);
            world.nodes.remove_lock();
            world.nodes.catch_up();
            if (a.acquire({.lease = faults::Timing::long_lease}) == "acquired") return;
            // Who has been told gives back first.
            if (world.wait_for.has_reported_loss(a)) a.release();
            a.acquire({.lease = faults::Timing::long_lease,
                       .wait = world.timing.wait_limit(),
                       .must_get_in = true});
          }};
}

// Two threads of one program exclude each other too.
Scenario other_thread() {
  return {.name = "other_thread",
          .sentence = "a thread of A has the lock, and another one wants it, until it is free",
          .judged = {Property::truthful_outcomes, Property::liveness},
          .needs = {},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            constexpr int another = 2;
            world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
            const auto outcome = a.acquire({.lease = faults::Timing::long_lease,
                                            .wait = world.timing.lease() / 3,
                                            .thread = another});
            if (outcome == "acquired") a.release({.thread = another});
            a.release();
            a.acquire({.lease = faults::Timing::long_lease,
                       .wait = world.timing.wait_limit(),
                       .must_get_in = true,
                       .thread = another});
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
      .run = [](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        for (int level = 1; level <= 3; ++level) {
          world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
        }
        for (int level = 3; level >= 1; --level) {
          world.steps.stop_at_work(a, faults::before_write, [&] { try_turn(b); });
          a.release();
        }
        world.steps.must_get_turn(b);
      }};
}

}  // namespace learning::probe
