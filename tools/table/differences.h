// The cells that are not as declared.
#pragma once

#include "tools/table/grid.h"
#include "tools/terminal/options.h"

namespace table {

// Prints the cells that are not as declared or have shown nothing, each with a command to look at
// it.
void show_differences(const Grid& grid, const terminal::Options& options);

}  // namespace table
