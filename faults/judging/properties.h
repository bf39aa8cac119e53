// What a lock promises, each promise held against a story (verdict.h names them).
//
// Thread-safety: pure functions.
#pragma once

#include <vector>

#include "faults/judging/story.h"
#include "faults/judging/verdict.h"

namespace faults {

// Where they are broken. Empty: it stood.
[[nodiscard]] std::vector<Finding> judge_mutual_exclusion(const Story& story);
[[nodiscard]] std::vector<Finding> judge_owner_only_release(const Story& story);
[[nodiscard]] std::vector<Finding> judge_liveness(const Story& story);
[[nodiscard]] std::vector<Finding> judge_truthful_outcomes(const Story& story);
[[nodiscard]] std::vector<Finding> judge_owner_only_renewal(const Story& story);
[[nodiscard]] std::vector<Finding> judge_holder_was_told(const Story& story);
[[nodiscard]] std::vector<Finding> judge_first_come(const Story& story);
[[nodiscard]] std::vector<Finding> judge_bounded_renewal(const Story& story);

}  // namespace faults
