// The table in Markdown.
//
// Thread-safety: pure functions.
#pragma once

#include <string>

#include "tools/table/grid.h"

namespace table {

// The table as in README.md, each cell as its run ended.
[[nodiscard]] std::string as_markdown(const Grid& grid);
// The same, each cell as it is declared, whether it was run or not.
[[nodiscard]] std::string declared_as_markdown(const Grid& grid);

}  // namespace table
