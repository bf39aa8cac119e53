// Two stages' locks, file by file.
#pragma once

#include <vector>

#include "faults/stage.h"
#include "workshop/unified_diff.h"

namespace workshop {

struct Pair {
  Labelled from;
  Labelled to;
};

// The files that make up a lock: the header first, then its source, then scripts and what the later
// stage brings with it.
[[nodiscard]] std::vector<Pair> lock_files(const faults::Stage& from, const faults::Stage& to);

}  // namespace workshop
