// The page: one HTML file that needs no other and no network.
//
// Thread-safety: safe to share.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace report {

// The page's own files (page/), which the build puts into this program, and the drawing library D3
// (https://d3js.org), with `data` inserted. No text of `data` can end its element: every "<" is
// escaped. Throws CannotRun if D3 is not there.
[[nodiscard]] std::string html_page(const nlohmann::json& data);

}  // namespace report
