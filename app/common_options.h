// The options that every command of `./lab` takes.
#pragma once

#include <CLI/CLI.hpp>

#include "table/options.h"
#include "terminal/console.h"

namespace app {

class CommonOptions {
 public:
  // This object must outlive the parsing.
  void add_to(CLI::App& app) {
    app.add_flag("--no-color", no_color_, "no colour, as with NO_COLOR");
    app.add_option("--runs", output.runs, "where to keep what a run leaves")
        ->default_str("runs/, beside ./lab");
    app.add_flag_callback(
        "--no-predict", [this] { predict = false; },
        "do not ask what will happen, in the tour and in learn");
  }

  // To be called after parsing.
  void choose_paint() { output.paint = terminal::paint_for_output(!no_color_); }

  table::Options output{.paint = {}, .json = false, .runs = LAB_SOURCE_DIR "/runs"};
  bool predict = true;

 private:
  bool no_color_ = false;
};

}  // namespace app
