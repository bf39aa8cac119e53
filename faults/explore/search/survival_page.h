// The table of what survives what (survival.h), in Markdown.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "faults/explore/search/survival.h"

namespace explore {

// The rows with one fault.
[[nodiscard]] std::string survival_table(const std::vector<SurvivalCell>& cells);
// The pairs. A cell that was not searched names the fault that breaks the lock alone.
[[nodiscard]] std::string pairs_table(const std::vector<SurvivalCell>& cells);

// The page of both, with the pairs that break a lock which neither of their faults breaks alone,
// and with the schedule of every red cell.
[[nodiscard]] std::string survival_page(const std::vector<SurvivalCell>& cells);

// The page of locks that other people wrote: one fault, and the schedule of every red cell.
[[nodiscard]] std::string field_survival_page(const std::vector<SurvivalCell>& cells);

}  // namespace explore
