// The violations of a report that an earlier one does not have: for a CI that tests its own lock.
//
// Thread-safety: pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace field {

// One line for each cell of `now` that is violated and was not in `before`, both report_data.h: the
// lock, the scenario, and the sentence.
[[nodiscard]] std::vector<std::string> new_violations(const nlohmann::json& now,
                                                      const nlohmann::json& before);

}  // namespace field
