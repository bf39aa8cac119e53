// Says which branches of a lock's scripts a search took, and which no order reached.
//
// Thread-safety: pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "faults/explore/coverage/script_coverage.h"

namespace explore {

// For a person: "2 of 4 branches of release.lua were never taken:", and these.
[[nodiscard]] std::string describe_coverage(const std::vector<ScriptCoverage>& scripts);
// For a machine: [{script, calls, readable, taken, branches: [{line, kind, source, taken}]}].
[[nodiscard]] nlohmann::json to_json(const std::vector<ScriptCoverage>& scripts);

}  // namespace explore
