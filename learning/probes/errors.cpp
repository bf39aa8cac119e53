// Stories about servers that do not do what they are asked, and say so.
#include "faults/world.h"
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
          .story = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            const auto ask = [&b] { b.acquire({.lease = World::long_lease, .may_fail = true}); };
            world.demote_nodes();
            ask();
            world.reinstate_nodes();
            world.must_acquire(a, {.lease = World::long_lease});
            world.demote_nodes();
            const auto refused = a.release({.may_fail = true});
            world.reinstate_nodes();
            if (refused == "error" || refused == "unknown") a.release();
            world.kill_nodes(world.nodes());
            // Sent over a connection that has just broken, a command may count as lost.
            for (int i = 0; i < 3; ++i) ask();
          }};
}

}  // namespace learning::probe
