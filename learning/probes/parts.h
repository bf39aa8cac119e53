// What several of the learners' stories are made of.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "faults/world/world.h"

namespace learning::probe {

// Every server that `client` has asked has answered it when this returns.
inline void hear_all(faults::World& world, faults::Client& client) {
  world.wait_for.commands_at_all_nodes(client);
  world.wait_for.replies(client);
}

// `client` takes the lock for long, and every server has answered it when this returns.
inline void acquire_everywhere(faults::World& world, faults::Client& client) {
  world.steps.must_acquire(client, {.lease = faults::Timing::long_lease});
  hear_all(world, client);
}

// `client` wants the lock until a short lease of its holder's must be over, and works if it gets
// in.
inline void take_a_turn_after_a_lease(const faults::World& world, faults::Client& client) {
  if (client.acquire({.wait = 2 * world.timing.lease()}) != "acquired") return;
  client.work();
  client.release();
}

// `holder` works, and does not write before a short lease of its own must be over; `other` wants
// the lock meanwhile.
inline void work_beyond_a_lease(const faults::World& world, faults::Client& holder,
                                faults::Client& other) {
  world.steps.stop_at_work(holder, faults::before_write,
                           [&] { take_a_turn_after_a_lease(world, other); });
}

// Has the first messages in `direction` get lost between `client` and each server, so many. The
// first of the faults is the one that comes first.
inline std::vector<faults::Fault> lose_first(faults::Client& client, faults::Direction direction,
                                             int messages) {
  std::vector<faults::Fault> all;
  for (int nth = 1; nth <= messages; ++nth) {
    auto armed = client.arm_everywhere({.direction = direction, .nth = nth}, faults::Action::reset);
    std::move(armed.begin(), armed.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace learning::probe
