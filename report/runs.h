// The table again, from what a run of it has left.
#pragma once

#include <filesystem>

#include "workshop/table.h"

namespace report {

// `directory`: what `./lab table` or `./lab report` left below runs/, or the directory of one run.
// Judged with today's judges; what was not run is left empty; of two runs of one cell the later
// counts. Throws CannotRun, with what to do, if there is no run of a stage in it.
[[nodiscard]] workshop::Grid grid_from(const std::filesystem::path& directory);

}  // namespace report
