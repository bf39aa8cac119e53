// The tour as a program of its own, `lab_tour`: the script ./lab shows it while the program `lab`,
// which can do all the rest as well, is being built for the first time.
#include <CLI/CLI.hpp>
#include <iostream>

#include "app/commands.h"
#include "table/results.h"
#include "terminal/console.h"

namespace {

int run_program(int argc, char** argv) {
  CLI::App lab("", "./lab");
  app::Shared shared;
  app::add_shared_flags(lab, shared);
  lab.fallthrough();
  const auto tour = app::tour_command(lab, shared);
  CLI11_PARSE(lab, argc, argv);
  app::choose_paint(shared);
  return tour.run();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int code = run_program(argc, argv);
    terminal::flush_output();
    return code;
  } catch (const std::exception& error) {
    std::cerr << "lab: " << error.what() << '\n';
    return table::exit_cannot_run;
  }
}
