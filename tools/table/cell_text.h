// A cell of the table in a word or two, as a person reads it.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "faults/world/tested_lock.h"
#include "tools/table/grid.h"

namespace table {

// A cell in two words, such as "✗ two inside"; with a mark if it is not as declared.
[[nodiscard]] std::string cell_text(const Cell& cell);

// The text of a cell that is filled as it is declared, whether it was run or not.
[[nodiscard]] std::string declared_text(const faults::TestedLock& stage,
                                        const std::string& scenario);

// The meanings of the words and marks in cells, each in a few words.
[[nodiscard]] std::vector<std::string> legend();

}  // namespace table
