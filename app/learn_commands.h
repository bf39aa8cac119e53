// The command line of `lab learn`: which of its commands is meant, and with what.
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
  // Adds them to `learn`. The flags that other commands have as well go into `options`, or come
  // from `predict`.
  LearnCommands(CLI::App& learn, table::Options& options, const bool& predict);

  // Throws CannotRun, with the nearest names, if the word after "learn" is none of its commands.
  static void must_know(const CLI::App& learn, int argc, char** argv);

  // Does the command that was called start servers and clients?
  [[nodiscard]] bool needs_servers() const;
  // Carries it out, one that does not or one that does; the exit code. Throws CannotRun.
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
