// The cells that are not as declared.
#pragma once

#include "faults/judging/timeline.h"
#include "tools/table/grid.h"

namespace table {

// Prints the cells that are not as declared or have shown nothing, each with a command to look at
// it.
void show_differences(const Grid& grid, const faults::Paint& paint);

}  // namespace table
