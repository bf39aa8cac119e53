// Commands that a person copies into a shell.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace faults {

// `text` as one word for a shell: in quotes if it has a character that the shell does not leave
// alone, such as a space. field::words_of reads it, too.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace faults
