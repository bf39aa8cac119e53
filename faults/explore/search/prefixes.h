// Divides a search: the beginnings of its orders, of which each can be searched by itself, on any
// machine. What the parts find and count is what the whole does, up to the smallest number of
// faults that breaks something in one of them: there the whole stops, and a part stops at its own.
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

// Every beginning of that many steps behind those of `plan.after`, and every order that is shorter.
// Throws as `search` does.
[[nodiscard]] std::vector<Prefix> prefixes_of(const WorldPlan& world, const SearchPlan& plan,
                                              std::size_t steps, faults::Reaper& reaper);

[[nodiscard]] std::string to_line(const Prefix& prefix);
// Throws CannotRun, naming the file and the line.
[[nodiscard]] std::vector<Prefix> read_prefixes(const std::filesystem::path& file);

}  // namespace explore
