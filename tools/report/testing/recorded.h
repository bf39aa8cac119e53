// For tests: recorded histories, and tables made of them without a run.
#pragma once

#include <filesystem>
#include <string>

#include "tools/table/grid.h"

namespace report {

// The recorded history of a cell.
[[nodiscard]] std::filesystem::path recorded(const std::string& stage, const std::string& scenario);

// A table with that cell filled.
[[nodiscard]] table::Grid grid_of(const std::string& stage, const std::string& scenario);

// A table with every cell filled that applies, from the recordings of its stage.
[[nodiscard]] table::Grid full_grid();

}  // namespace report
