// `lab explore --split` and `--prefixes`: a search in parts, for a job runner to divide.
#pragma once

#include <filesystem>

#include "faults/explore/search/search.h"
#include "tools/terminal/options.h"

namespace app {

// Writes the prefixes of that many steps to standard output, one a line. Throws as a search does.
[[nodiscard]] int write_prefixes(const explore::WorldPlan& world, const explore::SearchPlan& plan,
                                 std::size_t steps, faults::Reaper& reaper);

// Searches behind each prefix of `file`, one after the other, and writes what came of it to
// standard output, a JSON object a line. The exit code is that of a search that found all of it.
// Throws as a search does.
[[nodiscard]] int search_prefixes(const explore::WorldPlan& world, explore::SearchPlan plan,
                                  const std::filesystem::path& file,
                                  const terminal::Options& options, faults::Reaper& reaper);

}  // namespace app
