// The cells that are not as declared.
#pragma once

#include "faults/judging/timeline.h"
#include "table/grid.h"

namespace table {

// Says which cells are not as declared or have shown nothing, and how to look at each.
void show_differences(const Grid& grid, const faults::Paint& paint);

}  // namespace table
