// The options that all commands share: colours, JSON, and where the runs go.
#pragma once

#include <filesystem>

#include "faults/judging/timeline.h"

namespace terminal {

struct Options {
  faults::Paint paint;
  bool json = false;
  std::filesystem::path runs;  // where run directories go
};

}  // namespace terminal
