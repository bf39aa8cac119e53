// `lab explore --table`: what survives what, by search.
#pragma once

#include <string>

#include "faults/explore/search/survival.h"
#include "faults/kit/reaper.h"
#include "tools/terminal/options.h"

namespace app {

struct TablePlan {
  std::string lock;  // the only column; empty: every stage
  explore::SearchEffort effort;
  bool record = false;  // keep the table where it is declared
};

// Searches for every cell and shows the table. The exit code: 0 if every cell is as declared or
// was recorded; 1 if one differs; 3 if the budget did not suffice for one. Throws CannotRun.
[[nodiscard]] int search_table(const TablePlan& plan, const terminal::Options& options,
                               faults::Reaper& reaper);

}  // namespace app
