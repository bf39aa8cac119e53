// The table in Markdown.
//
// Thread-safety: pure functions.
#pragma once

#include <string>

#include "table/grid.h"

namespace table {

// As it stands in README.md: each cell as the run found it.
[[nodiscard]] std::string as_markdown(const Grid& grid);
// The same with each cell as it is declared, whether it was run or not.
[[nodiscard]] std::string declared_as_markdown(const Grid& grid);

}  // namespace table
