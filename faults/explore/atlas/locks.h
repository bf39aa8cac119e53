// The locks of the atlas as the kit sees them, by their names: any command that takes a lock takes
// "atlas:acquire=set,release=del".
//
// Thread-safety: pure functions.
#pragma once

#include <string>

#include "faults/explore/atlas/parts.h"
#include "faults/world/tested_lock.h"

namespace atlas {

[[nodiscard]] faults::TestedLock tested_lock_of(const Parts& parts);

// Throws CannotRun with a sentence if `name` is not that of a lock of the atlas.
[[nodiscard]] faults::TestedLock lock_named(const std::string& name);

}  // namespace atlas
