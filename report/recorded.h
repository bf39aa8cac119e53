// For tests: recorded histories, and tables made of them without a run.
#pragma once

#include <filesystem>
#include <string>

#include "table/grid.h"

namespace report {

// The history of a cell that is kept beside its stage.
[[nodiscard]] std::filesystem::path recorded(const std::string& stage, const std::string& scenario);

// A table with that cell filled.
[[nodiscard]] table::Grid grid_of(const std::string& stage, const std::string& scenario);

// One with every cell filled that applies, from what is recorded of its stage.
[[nodiscard]] table::Grid full_grid();

}  // namespace report
