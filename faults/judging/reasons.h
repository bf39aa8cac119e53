// Reasons beside a verdict: which finding explains another, and when a refusal is right.
//
// Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faults/judging/trace.h"
#include "faults/judging/verdict.h"

namespace faults {

// Of a scenario that ended since the lock did not let its client in: did it say no because no
// replica had acknowledged the lock, and keep nothing of it? Then there is no lock to lose, as it
// says: a sentence. Else nothing.
[[nodiscard]] std::optional<std::string> refused_rightly(const Trace& trace);

// Puts an untrue outcome first that explains another finding: a client was let in that did not have
// the lock, and a write was lost by that; or a lock was not given back, and shut another client
// out.
void put_reasons_first(const Trace& trace, std::vector<Finding>& findings);

}  // namespace faults
