// A result as JSON, for a machine to read.
//
// Thread-safety: pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "faults/running/result.h"

namespace faults {

// `difference` is that from the declaration, empty if none.
[[nodiscard]] nlohmann::json as_json(const Result& result, const std::string& difference);

}  // namespace faults
