// What several of the learners' stories are made of.
#pragma once

#include "faults/world.h"

namespace learning::probe {

// `client` wants the lock until a short lease of its holder's must be over, and works if it gets
// in.
inline void take_a_turn_after_a_lease(const faults::World& world, faults::Client& client) {
  if (client.acquire({.wait = 2 * world.lease()}) != "acquired") return;
  client.work();
  client.release();
}

}  // namespace learning::probe
