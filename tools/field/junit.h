// The field report as tests in JUnit's XML, which most CI systems show: a suite for each lock, a
// case for each scenario. A violation is a failure; what says nothing about the lock is skipped.
//
// Thread-safety: pure function.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace field {

// The file for `data` (report_data.h).
[[nodiscard]] std::string junit_xml(const nlohmann::json& data);

}  // namespace field
