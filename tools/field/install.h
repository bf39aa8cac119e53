// Brings the locks of field/ onto this machine.
//
// Thread-safety: none; call it from one thread.
#pragma once

#include "faults/world/lock_file.h"

namespace field {

// Installs what `lock` needs: Debian's packages, what its package.json names into its directory,
// what its requirements.txt names, or the program that its CMakeLists.txt, go.mod, Cargo.toml or
// pom.xml builds. One that is there already is not touched, except that a program is built again if
// its sources have changed. Throws CannotRun, with what failed.
void install(const faults::LockFile& lock);

}  // namespace field
