// The difference between two files, by diff(1).
#pragma once

#include <filesystem>
#include <string>

namespace terminal {

struct LabelledFile {
  std::string label;           // what it is called in the difference
  std::filesystem::path file;  // one that does not exist is empty
};

// A unified diff, with the colours of a terminal if wanted; empty if there is none. Throws
// CannotRun if there is no diff(1), or if it fails.
[[nodiscard]] std::string difference(const LabelledFile& from, const LabelledFile& to,
                                     bool colour = false);

}  // namespace terminal
