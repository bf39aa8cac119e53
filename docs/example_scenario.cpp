// The worked example of writing-a-scenario.md. It is compiled and run by a test, and is not one of
// the scenarios of the table.
#include "faults/judging/judge.h"
#include "faults/scenarios/scenario.h"
#include "faults/world/world.h"

namespace faults {

Scenario frozen_reader() {
  return {.name = "frozen_reader",
          .sentence =
              "A is frozen after its read and before its last check, until its lease has "
              "run out and B has been in",
          .judged = {Property::mutual_exclusion},
          .needs = {fault::held, fault::frozen, fault::thawed, needs_contention},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            world.steps.must_acquire(a);
            auto read = a.storage_link().arm(during_read, Action::hold_back);
            auto working = a.start_work();
            must_reach(read, working);
            a.freeze();
            read.deliver();  // into A's socket
            world.steps.must_be_within_lease(a);
            world.steps.wait_for_turn(b);
            a.thaw();
            working.wait();
            a.release();
          }};
}

}  // namespace faults
