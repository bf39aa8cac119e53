// The table again, from the directory of an earlier run.
#pragma once

#include <filesystem>

#include "tools/table/grid.h"

namespace report {

struct FromRuns {
  table::Grid grid;
  std::size_t skipped = 0;  // runs of the table that cannot be judged; their cells are empty
};

// `directory`: the directory that `./lab table` or `./lab report` left below runs/, or that of one
// run. The runs are judged with today's judges; of two runs of one cell the later counts; a cell
// without a run stays empty, as does one whose run was ended too early. Throws CannotRun, with what
// to do, if there is no run of a stage in it, or if it is the directory of one run that cannot be
// judged.
[[nodiscard]] FromRuns grid_from(const std::filesystem::path& directory);

}  // namespace report
