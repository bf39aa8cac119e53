// The field report as one HTML file that needs no other and no network: a table with a search and
// filters, and for each row the lock's settings, promises, violations and timelines.
//
// Thread-safety: pure function.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/terminal/language.h"

namespace field {

// The page of `data` (report_data.h), in `language`. What libraries write stays as it is.
[[nodiscard]] std::string html_page(const nlohmann::json& data, const terminal::Language& language);

}  // namespace field
