// `./lab report`: the table, its timelines, the diffs and the price as one HTML file.
#pragma once

#include <filesystem>

#include "faults/kit/reaper.h"
#include "tools/terminal/options.h"

namespace report {

struct Choice {
  std::filesystem::path out = "report.html";
  std::filesystem::path from;   // an earlier run; empty: the table is run now
  std::filesystem::path bench;  // a results.json; empty: the newest below runs/, if there is one
  bool hides_verdicts = false;  // until the reader has guessed them
  int jobs = 0;                 // how many cells at once; 0: the usual number
};

// Writes the whole file or none. Returns 0, or 1 if a cell is not as declared: the page marks it.
// Throws CannotRun; for a bad choice before anything is run.
[[nodiscard]] int make_report(const terminal::Options& options, const Choice& choice,
                              faults::Reaper& reaper);

}  // namespace report
