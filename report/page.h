// The page: one HTML file that needs no other and no network.
//
// Thread-safety: a pure function.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace report {

// The page's own files (page/) and the drawing library, which the build puts into this program,
// with `data` inserted. No text of `data` can end its element: every "<" is escaped.
[[nodiscard]] std::string page_with(const nlohmann::json& data);

}  // namespace report
