// Two stages' locks, file by file.
#pragma once

#include <vector>

#include "faults/world/tested_lock.h"
#include "tools/terminal/unified_diff.h"

namespace table {

struct FilePair {
  terminal::LabelledFile from;
  terminal::LabelledFile to;
};

// The files that make up a lock: the header first, then its source, then scripts and what the later
// stage brings with it.
[[nodiscard]] std::vector<FilePair> lock_files(const faults::TestedLock& from,
                                               const faults::TestedLock& to);

}  // namespace table
