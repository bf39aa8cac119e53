// How many columns of a terminal a text takes: Chinese, Japanese and Korean characters take two.
//
// Thread-safety: a pure function.
#pragma once

#include <cstddef>
#include <string_view>

namespace faults {

// The columns of `text`, which is UTF-8 without control characters. Characters of ambiguous width,
// such as "→" and "…", take one column (https://www.unicode.org/reports/tr11/).
[[nodiscard]] std::size_t width_in_columns(std::string_view text);

// The bytes of the character that begins `text`; 0 if it is empty.
[[nodiscard]] std::size_t length_of_first(std::string_view text);

}  // namespace faults
