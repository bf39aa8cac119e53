// `lab step`: a person chooses what happens next.
#include <functional>
#include <iostream>
#include <memory>

#include "faults/explore/search/option_names.h"
#include "faults/explore/stepping/step_server.h"
#include "faults/explore/stepping/stepper.h"
#include "tools/app/commands.h"
#include "tools/app/step_through.h"
#include "tools/field/locks.h"
#include "tools/table/stages.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/shown_run.h"
#include "tools/terminal/translated_output.h"

namespace app {
namespace {

constexpr const char* step_examples =
    "Examples:\n"
    "  ./lab step 3                       two clients and stage 3: choose what happens next\n"
    "  ./lab step --from my-schedule      go on behind the last step of a schedule\n"
    "  ./lab step 3 --page                the same in a browser\n"
    "  printf 'go\\n' | ./lab step 3       the same words from a file, or a pipe\n"
    "\n"
    "Exit codes: 0 the run ended and holds, 1 violated, 2 could not run, 3 left before the end.\n"
    "Type ? for the words. Real clients and a real server, in virtual time: docs/searching.md.";

struct StepChosen {
  std::string lock;
  std::filesystem::path from;
  int nodes = 0;  // 0: as many as the lock has by default
  int clients = 2;
  bool page = false;
};

explore::Schedule schedule_of(const StepChosen& chosen) {
  if (!chosen.from.empty()) return explore::read_schedule(chosen.from);
  return {.lock = chosen.lock, .clients = chosen.clients, .nodes = chosen.nodes, .steps = {}};
}

explore::WorldPlan world_of(const faults::TestedLock& lock, const explore::Schedule& schedule,
                            const terminal::Options& options, faults::Reaper& reaper) {
  return {.stage = lock,
          .redis = terminal::plan_for(options, reaper).redis,
          .clients = schedule.clients,
          .lease = schedule.lease,
          .program = explore::program_named(schedule.operations),
          .judged = explore::properties_from(""),
          .sentence = "an order of events that a person has chosen"};
}

// Until Ctrl-C.
int serve_page(const faults::TestedLock& lock, const explore::Schedule& schedule,
               const terminal::Options& options, faults::Reaper& reaper) {
  explore::StepServer server(
      world_of(lock, schedule, options, reaper), schedule.steps, reaper,
      {.texts = options.language.catalogue(), .translate = std::cref(options.language)});
  std::cout << options.language("open " + server.address() + " in a browser; Ctrl-C ends it")
            << std::endl;
  server.serve();
  return terminal::exit_holds;
}

int run_step(const terminal::Options& options, const StepChosen& chosen, faults::Reaper& reaper) {
  auto schedule = schedule_of(chosen);
  const auto& lock = chosen.lock.empty() ? schedule.lock : chosen.lock;
  if (lock.empty()) throw faults::CannotRun("which lock? such as ./lab step 3; see ./lab --help");
  const auto stage = table::stage_or_lock_named(lock, schedule.nodes);
  if (chosen.from.empty()) schedule.lease = stage.pace().lease;
  if (chosen.page) return serve_page(stage, schedule, options, reaper);
  return step_through(stage, schedule, options, reaper);
}

}  // namespace

int step_through(const faults::TestedLock& lock, const explore::Schedule& schedule,
                 const terminal::Options& options, faults::Reaper& reaper) {
  terminal::TranslatedOutput output(options.language, std::cout);
  explore::Stepper stepper(world_of(lock, schedule, options, reaper), reaper, output.stream(),
                           options.paint);
  output.stream()
      << "You choose what happens next: a number, or Enter for the first. ? lists the words.\n";
  stepper.begin(schedule.steps);
  const auto ask = [&](std::string& line) {
    std::cout << stepper.prompt();
    if (!terminal::flush_output()) return false;
    return static_cast<bool>(std::getline(std::cin, line));
  };
  for (std::string line; ask(line);) {
    if (!stepper.obey(line)) break;
  }
  std::cout << '\n';
  return terminal::exit_code(stepper.verdict());
}

Command step_command(CLI::App& lab, Shared& shared) {
  const auto chosen = std::make_shared<StepChosen>();
  auto* line =
      lab.add_subcommand("step", "you choose, one event at a time, what happens to a lock");
  line->footer(step_examples);
  line->add_option("lock", chosen->lock, "such as stage3_set_nx_px, stage3 or 3, or a wrong turn");
  line->add_option("--from", chosen->from, "begin at the end of this schedule");
  line->add_option("--nodes", chosen->nodes, "on how many servers, of a lock on several, such as 7")
      ->check(CLI::Range(1, 15));
  line->add_option("--clients", chosen->clients, "how many want the lock")
      ->capture_default_str()
      ->check(CLI::Range(1, 6));
  line->add_flag("--page", chosen->page,
                 "in a browser: a page on loopback, with all you have tried");
  return {.line = line, .question = {}, .run = [chosen, &shared] {
            return with_reaper(shared.options.language, [&](faults::Reaper& reaper) {
              return run_step(shared.options, *chosen, reaper);
            });
          }};
}

}  // namespace app
