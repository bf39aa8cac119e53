// The table again, from what a run of it has left.
#pragma once

#include <filesystem>

#include "table/grid.h"

namespace report {

struct FromRuns {
  table::Grid grid;
  std::size_t skipped = 0;  // runs of a table that cannot be judged, as if they were not there
};

// `directory`: what `./lab table` or `./lab report` left below runs/, or the directory of one run.
// Judged with today's judges; what was not run is left empty; of two runs of one cell the later
// counts. One that was ended too early is skipped in a table. Throws CannotRun, with what to do, if
// there is no run of a stage in it, or if it is the directory of one run that cannot be judged.
[[nodiscard]] FromRuns grid_from(const std::filesystem::path& directory);

}  // namespace report
