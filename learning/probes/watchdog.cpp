// Stories about leases that are renewed, and one that is not.
#include "faults/judging/judge.h"
#include "faults/kit/errors.h"
#include "faults/world/world.h"
#include "learning/probes/probes.h"

namespace learning::probe {

using faults::Action;
using faults::Direction;
using faults::Property;
using faults::Scenario;
using faults::World;
namespace fault = faults::fault;

// What was renewed often ends as soon as what was not.
Scenario killed_after_renewals() {
  return {.name = "killed_after_renewals",
          .sentence = "A is killed when it has renewed its lock for a while; B wants the lock",
          .judged = {Property::liveness, Property::mutual_exclusion},
          .needs = {fault::killed, faults::needs_contention},
          .depends_on_time = true,
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a);
            world.wait_for.renewals(a, 20);
            world.wait_for.replies(a);
            a.kill();
            // Far less than twenty leases, also where renewals, or the end of A, have come late.
            world.steps.must_get_turn(b, 4 * world.timing.lease());
          }};
}

// Only what nobody named is renewed. And whoever names a lease is told all the same when it ends.
Scenario named_lease() {
  return {
      .name = "named_lease",
      .sentence = "A takes the lock for a time that it names, and does not come back; B wants it",
      .judged = {Property::liveness, Property::holder_was_told},
      .needs = {faults::needs_contention},
      .depends_on_time = true,
      .sweep = {},
      .run = [](World& world) {
        auto& a = world.client("A");
        auto& b = world.client("B");
        world.steps.must_acquire(a, {.lease = world.timing.medium_lease()});
        world.steps.must_be_within_lease(a);
        world.steps.must_get_turn(b);
        world.wait_for.loss_report(a);
      }};
}

// A lock object that goes takes what it renewed with it.
Scenario let_go() {
  return {.name = "let_go",
          .sentence =
              "A has this lock and another one, and its lock object goes without giving this one "
              "back; B wants it",
          .judged = {Property::liveness},
          .needs = {faults::needs_contention},
          .depends_on_time = true,
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            world.steps.must_acquire(a,
                                     {.key = "another"});  // else the watchdog ends with the lock
            world.steps.must_acquire(a);
            a.destroy_lock();
            world.steps.must_get_turn(world.client("B"));
          }};
}

}  // namespace learning::probe
