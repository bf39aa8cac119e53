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

// For a scenario that ended since the lock did not let its client in. Returns a sentence if the
// lock said no because no replica had acknowledged it, and kept nothing: then there is no lock to
// lose. Else nothing.
[[nodiscard]] std::optional<std::string> refused_rightly(const Trace& trace);

// Puts an untrue outcome first that explains another finding: a client was let in that did not have
// the lock, and a write was lost by that; or a lock was not given back, and shut another client
// out.
void put_reasons_first(const Trace& trace, std::vector<Finding>& findings);

}  // namespace faults
