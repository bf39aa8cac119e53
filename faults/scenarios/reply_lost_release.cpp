#include "faults/scenarios/scenarios.h"
#include "faults/world.h"

namespace faults {

Scenario reply_lost_release() {
  return {.name = "reply_lost_release",
          .sentence =
              "a command of A's release is applied, its reply is lost; B gets in, then A "
              "releases again, to be sure; C wants the lock",
          .judged = {Property::mutual_exclusion, Property::owner_only_release, Property::liveness,
                     Property::truthful_outcomes},
          .needs = {fault::reset},
          .sweep = Sweep{.operation = "release", .directions = {Direction::reply}},
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            auto& c = world.client("C");
            world.must_acquire(a, {.lease = world.lease()});
            auto lost = world.arm_at_position(a, Action::reset);
            auto releasing = a.start_release();
            World::must_reach(lost, releasing);
            world.must_be_within_lease(a);
            const bool unknown = releasing.wait() == "unknown";
            const auto b_outcome = b.acquire(
                {.lease = World::long_lease, .wait = world.patience(), .must_get_in = true});
            if (b_outcome != "acquired") return;
            world.stop_at_work(b, World::inside_the_work, [&] {
              if (unknown) a.release();
              World::take_a_turn(c);
            });
            b.release();
          }};
}

}  // namespace faults
