// Changes of the lock's key that are none: a script that removes another client's lock and puts it
// back has changed nothing, since nobody can see what is within a script.
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
