// How a node that came back without its data becomes a member of a fenced quorum again.
#pragma once

#include <chrono>
#include <stop_token>

#include "core/redis/address.h"
#include "stage7_redlock/quorum.h"

namespace stage8 {

// As Quorum::readmit; but before the node votes, its fencing counters are raised to the highest
// that so many other members know that one of them was in every majority this node was in: else it
// could help to give a token out again. Reads all counters of a node in one go: nothing for a busy
// hour. Throws core::Unreachable if too few members can be asked, std::logic_error without a
// marker.
bool readmit(stage7::Quorum& quorum, const core::Address& node,
             std::chrono::milliseconds longest_lease, const std::stop_token& stop = {});

}  // namespace stage8
