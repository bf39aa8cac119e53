// The atlas as text: for a terminal, and the blocks of docs/atlas.md in Markdown.
//
// In a table a lock has, under each kind of fault, ✓, or the letters of the promises that it breaks
// (findings.h); "?" where the search did not end, "·" where there was none.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "faults/explore/atlas/findings.h"

namespace atlas {

// The stages that are made of parts only, by name.
[[nodiscard]] const std::vector<std::pair<std::string, Parts>>& stages_in_atlas();

// All of them, with a star at each of the smallest.
[[nodiscard]] std::string table_for_terminal(const std::vector<Finding>& all);
// One of them: what it breaks, whether it is smallest, and what each of its parts is for.
[[nodiscard]] std::string lock_for_terminal(const Finding& finding,
                                            const std::vector<Finding>& all);

// A block of docs/atlas.md: its marker, and what stands after it.
struct Block {
  std::string marker;
  std::string text;
};
[[nodiscard]] std::vector<Block> blocks_of_chapter(const std::vector<Finding>& all);

}  // namespace atlas
