// The field report as a Markdown page: a table of the locks and the classes of fault, and a section
// for each lock. Its words are in page/.
//
// Thread-safety: pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace field {

// The page of `data` (report_data.h), whose table has the stages of stage_data() as well.
[[nodiscard]] std::string markdown_page(const nlohmann::json& data, const nlohmann::json& stages);

// Its table in Chinese, for docs/zh/field-report.md.
[[nodiscard]] std::string chinese_table(const nlohmann::json& data, const nlohmann::json& stages);

// The locks' sections in Chinese, for the same page.
[[nodiscard]] std::string chinese_sections(const nlohmann::json& data);

}  // namespace field
