// Stories about a client that has other locks beside the one that is judged.
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

namespace {

constexpr const char* another_key = "another";
constexpr const char* third_key = "third";

}  // namespace

// What is remembered of a hold is that hold's, and no other's.
Scenario among_others() {
  return {
      .name = "among_others",
      .sentence =
          "A has another lock, takes this one and then a third, works, and gives this one back; "
          "B wants it",
      .judged = {Property::truthful_outcomes, Property::liveness, Property::mutual_exclusion},
      .needs = {},
      .sweep = {},
      .run = [](World& world) {
        auto& a = world.client("A");
        world.steps.must_acquire(a, {.lease = faults::Timing::long_lease, .key = another_key});
        world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
        world.steps.must_acquire(a, {.lease = faults::Timing::long_lease, .key = third_key});
        auto& b = world.client("B");
        world.steps.stop_at_work(a, faults::before_write, [&] { try_turn(b); });
        a.release();
        world.steps.must_get_turn(b);
      }};
}

// And so is its renewal.
Scenario two_at_once() {
  return {.name = "two_at_once",
          .sentence =
              "A takes the lock and then another one, and its work takes longer than their leases; "
              "B wants the first",
          .judged = {Property::mutual_exclusion, Property::truthful_outcomes},
          .needs = {fault::held, faults::needs_contention},
          .depends_on_time = true,
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a);
            world.steps.must_acquire(a, {.key = another_key});
            work_beyond_a_lease(world, a, b);
            a.release();
          }};
}

}  // namespace learning::probe
