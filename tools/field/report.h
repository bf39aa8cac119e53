// The field report: what the locks of field/ did under every scenario, as a Markdown page and as
// data.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/field/grid.h"

namespace field {

// The whole page. `made` says when and on what.
[[nodiscard]] std::string report(const Grid& grid, const std::string& made);

// The same as data, for the tab of ./lab report: made, locks (name, says), and rows (scenario,
// sentence, cells: sign, and for a violated one what the page tells of it).
[[nodiscard]] nlohmann::json report_data(const Grid& grid, const std::string& made);

}  // namespace field
