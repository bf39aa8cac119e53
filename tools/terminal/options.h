// The options that all commands share: colours, the language, JSON, where the runs go, and on which
// server.
#pragma once

#include <filesystem>
#include <string>

#include "faults/judging/timeline.h"
#include "tools/terminal/language.h"

namespace terminal {

struct Options {
  faults::Paint paint;
  Language language;
  bool json = false;
  std::filesystem::path runs;  // where run directories go
  std::string redis;           // the name of the server to run, if one was chosen
};

}  // namespace terminal
