// Which commands a client sent of its own accord, to keep a hold alive: its renewals.
//
// Thread-safety: pure functions.
#pragma once

#include <vector>

#include "faults/judging/operation.h"
#include "tools/learning/mistakes/sent.h"

namespace learning {

// Marks what comes by itself: what belongs to no call, and the same while one is under way, since a
// watchdog does not wait for a call to end. What the clients' first calls have sent as well is that
// of an acquire or a release. A script of those that comes by itself is none either: by it a node
// is repaired, or somebody leaves without being asked to.
void mark_renewals(const std::vector<faults::Operation>& calls, std::vector<Sent>& sent);

}  // namespace learning
