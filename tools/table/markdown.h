// The table in Markdown.
//
// Thread-safety: pure functions.
#pragma once

#include <string>

#include "tools/table/grid.h"
#include "tools/terminal/language.h"

namespace table {

// The table, each cell as its run ended. `root` goes before the links to the stages: the way from
// the page's directory to the project's.
[[nodiscard]] std::string as_markdown(const Grid& grid, const std::string& root = "");
// The same, each cell as it is declared, whether it was run or not. In another language than
// English the stages' links lead to their pages in that one.
[[nodiscard]] std::string declared_as_markdown(const Grid& grid, const std::string& root = "",
                                               const terminal::Language& language = {});

}  // namespace table
