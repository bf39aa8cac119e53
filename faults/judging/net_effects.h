// Finds key changes without a net effect: a script that removes another client's lock and puts it
// back changes nothing, since no client can see the steps within a script.
//
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <set>

#include "faults/judging/trace.h"

namespace faults {

// The places of such changes; of `trace` all but its holds must be there.
[[nodiscard]] std::set<std::size_t> changes_put_back(const Trace& trace);

// Does an event of a key mean that it is there now? A lock may be of any type.
[[nodiscard]] bool writes_key(const std::string& what);

}  // namespace faults
