// The difference between two files, by diff(1), on standard output.
#pragma once

#include <filesystem>
#include <string>

#include "faults/judging/timeline.h"

namespace workshop {

struct Labelled {
  std::string label;           // what it is called in the difference
  std::filesystem::path file;  // one that does not exist is empty
};

// Prints nothing if there is none. Throws CannotRun if there is no diff(1), or if it fails.
void show_difference(const faults::Paint& paint, const Labelled& from, const Labelled& to);

}  // namespace workshop
