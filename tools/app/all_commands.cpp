#include "tools/app/all_commands.h"

#include "faults/kit/errors.h"

namespace app {
namespace {

// A command of the script ./lab: here only for the help.
Command script_command(CLI::App& lab, const std::string& name, const std::string& what) {
  return {
      .line = lab.add_subcommand(name, what + " (the script ./lab does this)"),
      .question = {},
      .run = [name]() -> int { throw faults::CannotRun("the script does that: ./lab " + name); }};
}

}  // namespace

std::vector<Command> add_commands(CLI::App& lab, Shared& shared) {
  return {tour_command(lab, shared),
          run_command(lab, shared),
          table_command(lab, shared),
          diff_command(lab, shared),
          list_command(lab, shared),
          judge_command(lab, shared),
          bench_command(lab, shared),
          report_command(lab, shared),
          site_command(lab, shared),
          explore_command(lab, shared),
          atlas_command(lab, shared),
          step_command(lab, shared),
          soak_command(lab, shared),
          replay_command(lab, shared),
          learn_command(lab, shared),
          field_command(lab, shared),
          servers_command(lab, shared),
          watch_command(lab, shared),
          free_command(lab, shared),
          model_command(lab, shared),
          suite_command(lab, shared),
          script_command(lab, "test", "the tests"),
          script_command(lab, "doctor", "what this machine lacks or forbids"),
          script_command(lab, "slides", "slides and a handout for a course"),
          record_command(lab, shared)};
}

}  // namespace app
