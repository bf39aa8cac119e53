// The tour as a program of its own, `lab_tour`: the script ./lab shows it while the program `lab`,
// which can do all the rest as well, is being built for the first time.
#include <CLI/CLI.hpp>
#include <iostream>

#include "app/commands.h"
#include "app/common_options.h"
#include "app/help.h"
#include "faults/kit/interrupt.h"
#include "table/results.h"

namespace {

int run_program(int argc, char** argv) {
  CLI::App app(app::help::description, "./lab");
  app::CommonOptions options;
  options.add_to(app);
  app.add_subcommand("tour")->fallthrough();
  CLI11_PARSE(app, argc, argv);
  options.choose_paint();
  faults::Reaper reaper;
  const faults::Interrupt interrupt(reaper);
  return app::tour(options.output, learning::guessing(LAB_SOURCE_DIR "/learn", options.predict),
                   reaper);
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
