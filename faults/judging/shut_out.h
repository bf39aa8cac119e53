// Why a client that had to get in did not, in one sentence for people.
//
// It accuses only of what is known: a lock was "never freed" if the client waited for longer than
// the lease that its holder had asked for; it "was free" if no other client had it on any server.
// Thread-safety: pure functions.
#pragma once

#include <string>

#include "faults/judging/trace.h"

namespace faults {

// Describes an acquire that ended without the lock, or never.
[[nodiscard]] std::string say_shut_out(const Trace& trace, const Operation& operation);

}  // namespace faults
