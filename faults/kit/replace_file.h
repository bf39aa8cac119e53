// A file that others read, and that is there as a whole whatever comes between: an interrupt, a
// full disk.
#pragma once

#include <filesystem>
#include <string_view>

namespace faults {

// Writes `text` beside `file` and puts it in its place. False if that cannot be done: then `file`
// is what it was, and nothing lies beside it. Thread-safety: one thread for each file.
[[nodiscard]] bool replace_file(const std::filesystem::path& file, std::string_view text);

}  // namespace faults
