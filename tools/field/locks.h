// The locks that other people wrote: the directories of field/, and the names that a person may use
// for them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "faults/world/lock_file.h"
#include "faults/world/tested_lock.h"

namespace field {

// field/ itself.
[[nodiscard]] std::filesystem::path locks_directory();

// Every directory in field/ that describes a lock, by name. Throws CannotRun if one cannot be read.
[[nodiscard]] std::vector<faults::LockFile> all_locks();
// Their names, whatever their descriptions are worth.
[[nodiscard]] std::vector<std::string> lock_names();

// True if `name`, such as "redis-py" or "redis-py/command_timeout", is one of these locks, or a
// variant of one.
[[nodiscard]] bool names_lock(const std::string& name);
// Finds that lock. Throws CannotRun, with the nearest names.
[[nodiscard]] faults::LockFile lock_file_named(const std::string& name);
// Those of these names; all if there are none. Throws CannotRun.
[[nodiscard]] std::vector<faults::LockFile> locks_named(const std::vector<std::string>& names);
// One lock as a stage, on `nodes` servers (0: its default). Throws CannotRun, with what to do, if
// it is not installed.
[[nodiscard]] faults::TestedLock lock_named(const std::string& name, int nodes = 0);

}  // namespace field
