// Stories about servers that do not do what they are asked, and say so.
#include "faults/world/world.h"
#include "learning/probes/probes.h"

namespace learning::probe {

using faults::Property;
using faults::Scenario;
using faults::World;
namespace fault = faults::fault;

// What is neither a yes nor a no, and not lost either, is none of a lock's outcomes.
Scenario servers_fail() {
  return {.name = "servers_fail",
          .sentence =
              "the servers take no writes when B asks, and when A gives back what it has got "
              "meanwhile; they do, and it gives it back; then they are gone, and B asks again",
          .judged = {Property::truthful_outcomes},
          .needs = {fault::demoted, fault::killed},
          .sweep = {},
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            const auto ask = [&b] {
              b.acquire({.lease = faults::Timing::long_lease, .may_fail = true});
            };
            world.nodes.demote_all();
            ask();
            world.nodes.reinstate_all();
            world.steps.must_acquire(a, {.lease = faults::Timing::long_lease});
            world.nodes.demote_all();
            const auto refused = a.release({.may_fail = true});
            world.nodes.reinstate_all();
            if (refused == "error" || refused == "unknown") a.release();
            world.nodes.kill_last(world.nodes.size());
            // Sent over a connection that has just broken, a command may count as lost.
            for (int i = 0; i < 3; ++i) ask();
          }};
}

}  // namespace learning::probe
