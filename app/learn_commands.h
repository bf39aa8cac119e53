// The command line of `lab learn`: its commands, and their options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/commands.h"
#include "faults/kit/reaper.h"
#include "learning/learn.h"
#include "table/options.h"

namespace app {

class LearnCommands {
 public:
  // Adds the commands to `learn`. Flags shared with other commands go into `options`, or come from
  // `predict`.
  LearnCommands(CLI::App& learn, table::Options& options, const bool& predict);

  // Throws CannotRun, with the nearest names, if the word after "learn" is not one of its commands.
  static void must_know(const CLI::App& learn, int argc, char** argv);

  // True if the called command starts servers and clients: then call `run`, else `look`.
  [[nodiscard]] bool needs_servers() const;
  // Both carry the command out and return the exit code. Throw CannotRun.
  [[nodiscard]] int look(const table::Options& options);
  [[nodiscard]] int run(const table::Options& options, faults::Reaper& reaper);

 private:
  learning::Options options_;
  const bool& predict_;
  std::string exercise_;
  CLI::App* list_ = nullptr;
  CLI::App* start_ = nullptr;
  CLI::App* jump_ = nullptr;
  CLI::App* check_ = nullptr;
  CLI::App* watch_ = nullptr;
  CLI::App* hint_ = nullptr;
  CLI::App* reset_ = nullptr;
  CLI::App* solution_ = nullptr;
  CLI::App* score_ = nullptr;
};

}  // namespace app
