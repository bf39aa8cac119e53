// One acquire and one release, checked.
#pragma once

#include "core/lock.h"

namespace bench {

// Acquires a lock that nobody holds, and releases it. Throws WrongResult if it was not acquired, or
// was lost before its release.
void acquire_and_release(core::Lock& lock);

}  // namespace bench
