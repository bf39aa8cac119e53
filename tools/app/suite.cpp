// `lab suite`: the tests of one stage, as they fail; or the scenarios of two, side by side.
#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <memory>

#include "faults/kit/errors.h"
#include "tools/app/commands.h"
#include "tools/table/differences.h"
#include "tools/table/fill.h"
#include "tools/table/grid.h"
#include "tools/table/grid_text.h"
#include "tools/table/stages.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/run_program.h"
#include "tools/terminal/text.h"

namespace app {
namespace {

constexpr const char* suite_examples =
    "Examples:\n"
    "  ./lab suite 3                              the tests of stage 3: red where it breaks\n"
    "  ./lab suite 3 4                            the same scenarios on both, side by side\n"
    "\n"
    "The run of a red test is kept, as by ./lab run.\n"
    "Exit codes of one: 0 green, 1 red. Of two: 0 as declared, 1 not. 2 could not run.";

// Hands over to the stage's tests. Without LAB_AS_DECLARED (which ctest sets) a test is red where
// the stage breaks, whatever is declared. What a red one leaves is kept, as of any run.
int run_tests(const faults::TestedLock& stage, const terminal::Options& options) {
  unsetenv("LAB_AS_DECLARED");
  setenv("LAB_RUNS", options.runs.c_str(), 1);
  if (options.paint.on) setenv("GTEST_COLOR", "yes", 0);
  return terminal::run_program(
      {fmt::format("{0}/{1}/{1}_test", LAB_BINARY_DIR, stage.directory.filename().native()),
       "--gtest_filter=-*Long.*:*WrongTurn*:*Variant*"},
      options.language);
}

// Throws CannotRun if that is a wrong turn or a variant, which play only some scenarios.
faults::TestedLock whole_stage(const std::string& name) {
  auto stage = table::stage_named(name);
  if (stage.turned_from.empty() && !stage.is_variant) return stage;
  throw faults::CannotRun(
      fmt::format("{0} plays only some scenarios; ./lab run {0} plays them", stage.name));
}

int compare(const terminal::Options& options, const std::vector<std::string>& names,
            faults::Reaper& reaper) {
  auto grid = table::empty_grid({whole_stage(names[0]), whole_stage(names[1])});
  table::fill_showing_progress(grid, options.language, table::table_plan(options, reaper), 0,
                               reaper, [] {});
  std::cout << table::as_text(grid, options.paint, options.language) << '\n'
            << terminal::wrapped(options.language(table::what_changes(grid)));
  table::show_differences(grid, options);
  return grid.as_declared() ? terminal::exit_holds : terminal::exit_violated;
}

}  // namespace

Command suite_command(CLI::App& lab, const Shared& shared) {
  const auto names = std::make_shared<std::vector<std::string>>();
  auto* line = lab.add_subcommand("suite", "a stage's tests as they fail, or two side by side");
  line->footer(suite_examples);
  const std::string question = "which stage? such as ./lab suite 3, or ./lab suite 3 4";
  line->add_option("stages", *names, "one or two, such as 3 4")->required();
  return {.line = line, .question = question, .run = [names, question, &shared] {
            if (names->size() > 2) throw faults::CannotRun(question);
            if (names->size() == 1) {
              return run_tests(whole_stage(names->front()), shared.options);
            }
            return with_reaper(shared.options.language, [&](faults::Reaper& reaper) {
              return compare(shared.options, *names, reaper);
            });
          }};
}

}  // namespace app
