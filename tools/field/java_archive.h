// An archive of the classes that an adapter in Java loads (class data sharing): with it a process
// of the adapter starts in about half of the time. A search starts one after each kill.
//
// Thread-safety: none; call it from one thread.
#pragma once

#include "faults/world/lock_file.h"

namespace field {

// Has the adapter take, use and give back its lock once, on servers of its own, and makes the
// archive of what it has loaded. Without one the adapter only starts later: where its servers
// cannot be started, none is made.
void make_java_archive(const faults::LockFile& lock);

}  // namespace field
