// The field report: what the locks of locks/ did under every scenario, as a Markdown page.
#pragma once

#include <string>

#include "table/field.h"

namespace table {

// The whole page. `made` says when and on what.
[[nodiscard]] std::string field_report(const Field& field, const std::string& made);

}  // namespace table
