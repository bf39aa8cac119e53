#include "tools/app/tour_program.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "tools/app/commands.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"

namespace app {
namespace {

int run_tour(int argc, char** argv, Shared& shared) {
  CLI::App lab("", "./lab");
  add_shared_flags(lab, shared);
  lab.fallthrough();
  const auto tour = tour_command(lab, shared);
  CLI11_PARSE(lab, argc, argv);
  choose_look(shared);
  return tour.run();
}

}  // namespace

int tour_program(int argc, char** argv) {
  Shared shared;
  try {
    const int code = run_tour(argc, argv, shared);
    (void)terminal::flush_output();
    return code;
  } catch (const std::exception& error) {
    std::cerr << "lab: " << shared.options.language(error.what()) << '\n';
    return terminal::exit_cannot_run;
  }
}

}  // namespace app
