// Two stages' locks, file by file.
#pragma once

#include <vector>

#include "faults/world/stage.h"
#include "tools/terminal/unified_diff.h"

namespace table {

struct Pair {
  terminal::Labelled from;
  terminal::Labelled to;
};

// The files that make up a lock: the header first, then its source, then scripts and what the later
// stage brings with it.
[[nodiscard]] std::vector<Pair> lock_files(const faults::Stage& from, const faults::Stage& to);

}  // namespace table
