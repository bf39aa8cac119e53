// `lab replay`: does again what a schedule says.
#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>

#include "faults/explore/search/last_chance.h"
#include "faults/explore/search/option_names.h"
#include "faults/explore/search/run_recorder.h"
#include "faults/explore/search/side_by_side.h"
#include "faults/running/result_text.h"
#include "tools/app/commands.h"
#include "tools/field/foreign_client.h"
#include "tools/field/locks.h"
#include "tools/table/stages.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/shown_run.h"

namespace app {
namespace {

constexpr const char* replay_examples =
    "Examples:\n"
    "  ./lab replay runs/20260102-030405-stage3_set_nx_px-explore/schedule\n"
    "  ./lab replay my-schedule 4                        the same on another lock\n"
    "  ./lab replay my-schedule --beside                 and the nearest order that holds\n"
    "\n"
    "Exit codes: 0 holds, 1 violated, 2 could not run, 3 nothing was shown.";

struct Asked {
  std::filesystem::path schedule;
  std::string lock;
  field::ForeignClient client;
  bool beside = false;
};

faults::TestedLock lock_of(Asked asked, const explore::Schedule& schedule,
                           const faults::RunPlan& plan, faults::Reaper& reaper) {
  if (asked.client.command.empty()) {
    const auto& name = asked.lock.empty() ? schedule.lock : asked.lock;
    return table::stage_or_lock_named(name, schedule.nodes);
  }
  asked.client.kept_facts = schedule.facts;
  asked.client.nodes = std::max(1, schedule.nodes);
  return field::lock_of_client(asked.client, plan, reaper);
}

// The nearest order that holds, beside a run that does not.
void show_beside(explore::Controller& controller, const explore::Run& run,
                 const std::optional<explore::LastChance>& chance,
                 const terminal::Options& options) {
  const auto& say = options.language;
  if (!run.is_violated()) {
    std::cout << say("it breaks nothing: there is nothing to show beside it\n");
  } else if (!chance || chance->neighbour.empty()) {
    std::cout << say("no order that holds is known to show beside it\n");
  } else {
    const auto neighbour = explore::replay(
        controller,
        {.lock = controller.plan().stage.name, .steps = explore::steps_from(chance->neighbour)});
    std::cout << say(explore::describe_side_by_side(run, neighbour, options.paint, std::cref(say)));
  }
}

int run_replay(const terminal::Options& options, const Asked& asked, faults::Reaper& reaper) {
  const auto schedule = explore::read_schedule(asked.schedule);
  const auto run_plan = terminal::plan_for(options, reaper);
  const explore::WorldPlan world{.stage = lock_of(asked, schedule, run_plan, reaper),
                                 .redis = run_plan.redis,
                                 .clients = schedule.clients,
                                 .lease = schedule.lease,
                                 .program = explore::program_named(schedule.operations),
                                 .judged = explore::properties_from(""),
                                 .sentence = "an order of events that a schedule says"};
  explore::Controller controller(world, reaper);
  const auto run = explore::replay(controller, schedule);
  std::cout << options.language(faults::describe_record(run.record, run.judgement, options.paint));
  const auto chance = [&] {
    const terminal::Progress progress(options.language("looking for the point of no return"));
    return explore::last_chance_of(controller, run);
  }();
  std::cout << options.language(explore::line_of(chance));
  if (asked.beside) show_beside(controller, run, chance, options);
  return terminal::exit_code(run.judgement.verdict);
}

}  // namespace

Command replay_command(CLI::App& lab, Shared& shared) {
  const auto asked = std::make_shared<Asked>();
  auto* line = lab.add_subcommand("replay", "does again what a schedule says");
  line->footer(replay_examples);
  line->add_option("schedule", asked->schedule, "the file that explore has left, or your own")
      ->required();
  line->add_option("lock", asked->lock, "another lock than the schedule names");
  line->add_flag("--beside", asked->beside,
                 "beside what breaks: the nearest order that holds, the first difference marked");
  line->add_option("--client", asked->client.command, "or this program");
  add_facts_option(*line, asked->client.facts);
  return {.line = line,
          .question = "which schedule? a file that ./lab explore has left",
          .run = [asked, &shared] {
            return with_reaper(shared.options.language, [&](faults::Reaper& reaper) {
              return run_replay(shared.options, *asked, reaper);
            });
          }};
}

}  // namespace app
