// Saves what a search found: a directory with the schedule and the history of a counter-example,
// which `lab replay` and `lab judge` read.
//
// Thread-safety: pure functions.
#pragma once

#include <filesystem>
#include <string>

#include "faults/explore/search/search.h"

namespace explore {

// The command that replays a schedule. A client that has no directory is known by its command line.
[[nodiscard]] std::string again_with(const std::filesystem::path& schedule, const WorldPlan& world);

// Saves the first counter-example of `result` in a new directory below `runs`; returns its schedule
// file. Throws CannotRun, CannotWrite.
[[nodiscard]] std::filesystem::path save(const SearchResult& result, const WorldPlan& world,
                                         const std::filesystem::path& runs);

}  // namespace explore
