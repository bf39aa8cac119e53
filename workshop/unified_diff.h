// The difference between two files, by diff(1).
#pragma once

#include <filesystem>
#include <string>

#include "faults/judging/timeline.h"

namespace workshop {

struct Labelled {
  std::string label;           // what it is called in the difference
  std::filesystem::path file;  // one that does not exist is empty
};

// On standard output. Prints nothing if there is none. Throws CannotRun if there is no diff(1), or
// if it fails.
void show_difference(const faults::Paint& paint, const Labelled& from, const Labelled& to);

// The same without colour, as a text; empty if there is none.
[[nodiscard]] std::string difference(const Labelled& from, const Labelled& to);

}  // namespace workshop
