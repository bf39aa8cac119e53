// `./lab report`: the table, its stories, the diffs and the price as one HTML file.
#pragma once

#include <filesystem>

#include "faults/kit/reaper.h"
#include "table/options.h"

namespace report {

struct Choice {
  std::filesystem::path out = "report.html";
  std::filesystem::path from;   // an earlier run; empty: the table is run now
  std::filesystem::path bench;  // a results.json; empty: the newest below runs/, if there is one
  int jobs = 0;                 // how many cells at once; 0: chosen
};

// Writes the file whole or not at all. 0, or 1 if a cell is not as declared: the page marks it.
// Throws CannotRun, before anything is run if what it was given will not do.
[[nodiscard]] int make_report(const table::Options& options, const Choice& choice,
                              faults::Reaper& reaper);

}  // namespace report
