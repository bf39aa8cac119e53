// A row of a timeline in another language. Its lanes keep their columns.
//
// Thread-safety: pure functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace terminal {

// True if `line` opens as a row does: a time in milliseconds, and perhaps the mark ▶.
[[nodiscard]] bool is_timeline_row(std::string_view line);

// `row` with the text of each lane as `say` puts it. A text that is longer takes blanks after it;
// it stays as it is where there are too few.
[[nodiscard]] std::string with_lanes(std::string_view row,
                                     const std::function<std::string(std::string_view text)>& say);

}  // namespace terminal
