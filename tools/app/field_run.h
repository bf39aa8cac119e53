// `lab field run`: the locks of field/ against the scenarios that apply to them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "faults/kit/reaper.h"
#include "tools/app/commands.h"
#include "tools/terminal/options.h"

namespace app {

// What its command line chooses.
struct FieldRun {
  std::vector<std::string> names;
  bool install = false;
  int times = 1;
  int jobs = 0;
  std::string time = "real";
  std::filesystem::path report;
  std::filesystem::path html;
  std::filesystem::path junit;
  std::filesystem::path expect;
  std::filesystem::path kept;
  std::filesystem::path from;
};

// Adds its options to `line`, which fill `chosen`.
void add_field_run_options(CLI::App& line, FieldRun& chosen);

// Returns the exit code. Throws CannotRun.
[[nodiscard]] int run_field(const terminal::Options& options, const FieldRun& chosen,
                            faults::Reaper& reaper);

}  // namespace app
