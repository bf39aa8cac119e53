// One acquire and one release, checked.
#pragma once

#include "core/lock.h"

namespace bench {

// Acquires a lock that nobody holds and gives it back. Throws WrongResult if it does not get it, or
// if it turns out not to have had it.
void acquire_and_release(core::Lock& lock);

}  // namespace bench
