// Divides a search into parts: the beginnings of its orders, each of which can be searched by
// itself, on any machine. The parts together find and count what the whole does, up to the smallest
// number of faults that breaks a property in one of them: there the whole stops, and a part stops
// at its own.
//
// A file of prefixes has one a line, a JSON array of steps:
//
//   ["A: begin","A: send SET","A: reply SET","A: freeze"]
//
// Thread-safety: none; one thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "faults/explore/search/search.h"

namespace explore {

using Prefix = std::vector<std::string>;

// Every beginning of that many steps after those of `plan.after`, and every order that is shorter.
// Throws as `search` does.
[[nodiscard]] std::vector<Prefix> prefixes_of(const WorldPlan& world, const SearchPlan& plan,
                                              std::size_t steps, faults::Reaper& reaper);

[[nodiscard]] std::string to_line(const Prefix& prefix);
// Throws CannotRun, naming the file and the line.
[[nodiscard]] std::vector<Prefix> read_prefixes(const std::filesystem::path& file);

}  // namespace explore
