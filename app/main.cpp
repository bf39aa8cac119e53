// The program behind `./lab`.
#include <CLI/CLI.hpp>
#include <iostream>

#include "app/commands.h"
#include "app/common_options.h"
#include "app/help.h"
#include "app/learn_commands.h"
#include "faults/kit/errors.h"
#include "faults/kit/interrupt.h"
#include "faults/kit/reaper.h"
#include "learning/guess.h"
#include "report/report.h"
#include "table/options.h"
#include "table/results.h"
#include "terminal/console.h"
#include "terminal/suggestions.h"

namespace {

int run_program(int argc, char** argv) {
  CLI::App app(app::help::description, "./lab");
  app.footer(app::help::examples);
  app::CommonOptions common;
  common.add_to(app);
  auto& options = common.output;
  app.require_subcommand(0, 1);
  app.fallthrough();

  auto* tour = app.add_subcommand("tour", "the guided tour: what ./lab does when told nothing");
  tour->footer(app::help::tour_examples);
  auto* run = app.add_subcommand("run", "one stage against one, some or all scenarios");
  run->footer(app::help::run_examples);
  std::string stage;
  std::vector<std::string> scenarios;
  run->add_option("stage", stage, "such as stage3_set_nx_px, stage3 or 3, or a wrong turn's name")
      ->required();
  run->add_option("scenario", scenarios, "such as frozen_mid_release; all if left out");
  run->add_flag("--json", options.json, "for a machine to read");

  auto* table = app.add_subcommand("table", "every stage against every scenario");
  table->footer(app::help::table_examples);
  app::TableOptions table_options;
  table->add_flag("--json", options.json, "for a machine to read");
  table->add_flag("--markdown", table_options.markdown, "as the table in README.md");
  table->add_option("--jobs", table_options.jobs, "how many cells at once")
      ->check(CLI::Range(1, 256));

  auto* diff = app.add_subcommand("diff", "the lesson: the difference between two stages' locks");
  diff->footer(app::help::diff_examples);
  std::string from;
  std::string to;
  diff->add_option("from", from, "such as 3")->required();
  diff->add_option("to", to, "such as 4")->required();

  auto* list = app.add_subcommand("list", "every stage with its wrong turns, and every scenario");
  list->footer(app::help::list_examples);
  list->add_flag("--json", options.json, "for a machine to read");

  auto* judge = app.add_subcommand("judge", "judges a recorded run again");
  judge->footer(app::help::judge_examples);
  std::filesystem::path run_directory;
  judge->add_option("run", run_directory, "the directory that a run left, below runs/")->required();
  judge->add_flag("--json", options.json, "for a machine to read");

  auto* bench = app.add_subcommand("bench", "what each stage costs, beside the physical limit");
  bench->prefix_command()->fallthrough(false)->set_help_flag();  // all of it is for that program
  auto* report = app.add_subcommand("report", "the table, its stories and the price as a web page");
  report->footer(app::help::report_examples);
  report::Choice page;
  report->add_option("--out", page.out, "the file to write")->capture_default_str();
  report->add_option("--from", page.from, "what an earlier table left below runs/; runs nothing");
  report->add_option("--bench", page.bench, "the results.json of a benchmark; else the newest");
  report->add_option("--jobs", page.jobs, "how many cells at once")->check(CLI::Range(1, 256));
  auto* learn = app.add_subcommand("learn", "eight exercises: you are given a lock, make it hold");
  app::LearnCommands learn_commands(*learn, options, common.predict);

  auto* test = app.add_subcommand("test", "the tests (the script ./lab does this)");

  auto* record = app.add_subcommand("record", "")->group("");  // for maintainers
  bool keep = false;
  record->add_flag("--keep", keep, "only rewrite from the recorded histories");

  if (argc > 1) terminal::must_know(app, "./lab", argv[1]);
  app::LearnCommands::must_know(*learn, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    const std::string wanted = run->parsed() ? "which stage? such as ./lab run 3 frozen_mid_release"
                               : diff->parsed()  ? "which two stages? such as ./lab diff 3 4"
                               : judge->parsed() ? "which run? a directory in runs/"
                                                 : error.what();
    throw faults::CannotRun(wanted + "; see ./lab --help");
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    throw faults::CannotRun(terminal::what_is_wrong(app, "./lab", error));
  }
  common.choose_paint();
  if (test->parsed()) throw faults::CannotRun("the tests are run by the script: ./lab test");
  if (list->parsed()) return app::list(options);
  if (diff->parsed()) return app::diff(options, from, to);
  if (bench->parsed()) return app::bench(options, bench->remaining());
  if (judge->parsed()) return app::judge(options, run_directory);
  if (learn->parsed() && !learn_commands.needs_servers()) return learn_commands.look(options);

  faults::Reaper reaper;
  const faults::Interrupt interrupt(reaper);
  if (run->parsed()) return app::run(options, stage, scenarios, reaper);
  if (learn->parsed()) return learn_commands.run(options, reaper);
  if (table->parsed()) return app::table(options, table_options, reaper);
  if (report->parsed()) return report::make_report(options, page, reaper);
  if (record->parsed()) return app::record(options, keep, reaper);
  (void)tour;
  return app::tour(options, learning::guessing(LAB_SOURCE_DIR "/learn", common.predict), reaper);
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
