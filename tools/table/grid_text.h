// The grid as lines for a terminal.
//
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "faults/judging/timeline.h"
#include "tools/table/grid.h"
#include "tools/terminal/language.h"

namespace table {

// How many columns of the terminal its lines take.
[[nodiscard]] std::size_t text_width(const Grid& grid);
// How many rows a terminal needs on which they are redrawn: their number, and one for the progress.
[[nodiscard]] std::size_t rows_to_redraw(const Grid& grid);

// A line for each scenario, below one with the names of the stages.
[[nodiscard]] std::string as_text(const Grid& grid, const faults::Paint& paint,
                                  const terminal::Language& language = {});

// What the second of the grid's two stages fixes of the first one, and what it breaks, in one line.
[[nodiscard]] std::string what_changes(const Grid& grid);

}  // namespace table
