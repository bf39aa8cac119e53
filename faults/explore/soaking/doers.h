// Names the client that made each change of the lock, in a history of many clients in real time.
//
// A server announces that a key has changed, and not whose command did it. The judges work that out
// for the two or three clients of a scenario. Of many, several may ask a server in the same
// millisecond: then nobody can tell, and what follows from it is in doubt.
//
// Thread-safety: pure functions.
#pragma once

#include <set>

#include "faults/judging/verdict.h"
#include "faults/kit/history.h"

namespace explore {

// Writes down whose command it was (`by`) where only one was under way. Returns the places of the
// other changes.
[[nodiscard]] std::set<std::size_t> name_doers(faults::Record& record);

// Leaves out what may follow from a change that cannot be told: findings by what the servers hold.
// A judgement without any left is inconclusive.
void leave_out_doubtful(faults::Judgement& judgement, const faults::Record& record,
                        const std::set<std::size_t>& untold);

}  // namespace explore
