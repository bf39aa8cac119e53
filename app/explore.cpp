// `lab explore`: a search through every order of events, and `lab replay`: one of them again.
#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "app/commands.h"
#include "documents/documents.h"
#include "explore/search/kept_search.h"
#include "explore/search/survival.h"
#include "explore/search/words.h"
#include "faults/running/describe.h"
#include "table/locks.h"
#include "table/results.h"
#include "table/stages.h"
#include "terminal/console.h"

namespace app {
namespace {

constexpr const char* explore_examples =
    "Examples:\n"
    "  ./lab explore 3                                   every order, one fault of any kind\n"
    "  ./lab explore 2 --faults kill                     nothing but deaths\n"
    "  ./lab explore 4 --faults freeze --during release  a freeze while it releases\n"
    "  ./lab explore 5 --at-most 2 --budget 300s\n"
    "  ./lab explore redis-py --faults slow              a lock that somebody else wrote\n"
    "  ./lab explore --client 'python3 mine.py'          a lock of your own\n"
    "  ./lab explore 5 --operations nested --at-most 0   its thread takes the lock twice\n"
    "\n"
    "Exit codes: 0 none within these bounds, 1 violated, 2 could not run, 3 budget spent.\n"
    "Real clients and a real server, in virtual time: docs/searching.md.";

constexpr const char* replay_examples =
    "Examples:\n"
    "  ./lab replay runs/20260102-030405-stage3_set_nx_px-explore/schedule\n"
    "  ./lab replay my-schedule 4                        the same on another lock\n"
    "\n"
    "Exit codes: 0 holds, 1 violated, 2 could not run, 3 nothing was shown.";

struct Chosen {
  std::string lock;
  std::string client;  // in its place: a program's command line
  int clients = 2;
  std::string operations = "once";
  std::string faults = "freeze,kill,lose,slow";
  int at_most = 1;
  std::string during;
  std::string judged;
  double budget = 60;  // in seconds
  bool all_orders = false;
  std::optional<int> switches;
  bool fresh = false;
  bool table = false;
  bool record = false;
  int workers = explore::OneCpu::count();
};

faults::Stage lock_of(const std::string& name, const std::string& client,
                      const faults::RunPlan& plan, faults::Reaper& reaper) {
  if (!client.empty()) return table::stage_of_client({.command = client}, plan, reaper);
  if (name.empty()) throw faults::CannotRun("which lock? such as ./lab explore 3");
  return table::stage_or_lock_named(name);
}

int exit_code(explore::Ending ending) {
  switch (ending) {
    case explore::Ending::none: return table::exit_holds;
    case explore::Ending::violated: return table::exit_violated;
    case explore::Ending::budget_spent: break;
  }
  return table::exit_not_shown;
}

explore::SearchResult search_with_progress(const explore::WorldPlan& world,
                                           const explore::SearchPlan& plan,
                                           faults::Reaper& reaper) {
  const auto& lock = world.stage.name;
  terminal::Progress progress("exploring " + lock);
  auto said = std::chrono::steady_clock::now();
  return explore::search(world, plan, reaper, [&](const explore::SearchResult& so_far) {
    const auto now = std::chrono::steady_clock::now();
    if (now - said < std::chrono::seconds(1)) return;
    said = now;
    progress.change(fmt::format("exploring {}: {}", lock, explore::describe_progress(so_far)));
  });
}

int run_explore(const table::Options& options, const Chosen& chosen, faults::Reaper& reaper) {
  const explore::SearchPlan plan{
      .faults = explore::faults_from(chosen.faults),
      .during = explore::operations_from(chosen.during),
      .at_most = chosen.at_most,
      .budget = std::chrono::milliseconds(static_cast<long>(chosen.budget * 1'000)),
      .reduced = !chosen.all_orders,
      .workers = chosen.workers,
      .switches = chosen.switches};
  const auto run_plan = table::plan_for(options, reaper);
  const explore::WorldPlan world{.stage = lock_of(chosen.lock, chosen.client, run_plan, reaper),
                                 .redis = run_plan.redis,
                                 .clients = chosen.clients,
                                 .program = explore::program_named(chosen.operations),
                                 .fresh_clients = chosen.fresh,
                                 .judged = explore::properties_from(chosen.judged)};
  const auto result = search_with_progress(world, plan, reaper);
  std::filesystem::path schedule;
  if (!result.found.empty()) {
    schedule = explore::keep(result, world, terminal::as_seen_from_here(options.runs));
  }
  if (options.json) {
    std::cout << explore::to_json(result, plan, world, schedule).dump(2) << '\n';
  } else {
    std::cout << explore::describe_search(result, plan, world, schedule, options.paint);
  }
  return exit_code(explore::ending_of(result));
}

// Searches for every cell of the table; `record` keeps it where it is declared and shown.
int run_table(const table::Options& options, const Chosen& chosen, faults::Reaper& reaper) {
  const auto redis = table::plan_for(options, reaper).redis;
  const std::chrono::milliseconds budget(static_cast<long>(chosen.budget * 1'000));
  terminal::Progress progress("exploring");
  std::vector<explore::SurvivalCell> cells;
  for (const auto& stage : table::all_stages()) {
    for (const auto& row : explore::survival_rows()) {
      progress.change(fmt::format("exploring {}: {}", stage.name, row.name));
      cells.push_back(explore::examine(row, stage, redis, budget, chosen.workers, reaper));
    }
  }
  const std::filesystem::path source(LAB_SOURCE_DIR);
  if (chosen.record) {
    documents::write_file(source / "explore" / "survival.json", explore::to_text(cells));
    documents::write_file(source / "docs" / "explored.md", explore::survival_page(cells));
  }
  std::cout << (options.json ? explore::to_text(cells) : explore::survival_table(cells));
  return table::exit_holds;
}

int run_replay(const table::Options& options, const std::filesystem::path& file,
               const std::string& lock, const std::string& client, faults::Reaper& reaper) {
  const auto schedule = explore::read_schedule(file);
  const auto run_plan = table::plan_for(options, reaper);
  const explore::WorldPlan world{
      .stage = lock_of(lock.empty() ? schedule.lock : lock, client, run_plan, reaper),
      .redis = run_plan.redis,
      .clients = schedule.clients,
      .lease = schedule.lease,
      .program = explore::program_named(schedule.operations),
      .judged = explore::properties_from("")};
  explore::Controller controller(world, reaper);
  const auto run = explore::replay(controller, schedule);
  std::cout << faults::describe_record(run.record, run.judgement, options.paint);
  return table::exit_code(run.judgement.verdict);
}

}  // namespace

Command explore_command(CLI::App& lab, Shared& shared) {
  const auto chosen = std::make_shared<Chosen>();
  auto* line = lab.add_subcommand("explore", "looks by itself: every order of events, on a lock");
  line->footer(explore_examples);
  line->add_option("lock", chosen->lock,
                   "such as stage3_set_nx_px, stage3 or 3, a wrong turn, or redis-py");
  line->add_option("--client", chosen->client,
                   "in its place: a program that speaks docs/client-protocol.md, with arguments");
  line->add_option("--clients", chosen->clients, "how many want the lock")
      ->capture_default_str()
      ->check(CLI::Range(1, 6));
  line->add_option("--operations", chosen->operations,
                   "what each does: once (acquire, work, release), nested, or again")
      ->capture_default_str();
  line->add_option(
          "--faults", chosen->faults,
          "the kinds that may happen, of clients or servers: also failover, amnesia, clock")
      ->capture_default_str();
  line->add_option("--at-most", chosen->at_most, "so many faults in one run")
      ->capture_default_str()
      ->check(CLI::Range(0, 9));
  line->add_option("--during", chosen->during,
                   "only to a client that is in acquire, work or release");
  line->add_option("--judge", chosen->judged, "only that property, such as \"owner-only release\"");
  line->add_option("--budget", chosen->budget, "for how long at most")
      ->transform(
          CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"min", 60}, {"h", 3600}},
                                CLI::AsNumberWithUnit::CASE_SENSITIVE, "TIME"))
      ->default_str("60s");
  line->add_flag("--all-orders", chosen->all_orders,
                 "without the reduction: orders that differ in nothing, too");
  line->add_option("--switches", chosen->switches,
                   "leave a client that could go on so many times in one run at most")
      ->check(CLI::Range(0, 9));
  line->add_flag("--fresh", chosen->fresh,
                 "new processes for each run: for a lock that remembers something between two");
  line->add_option("--workers", chosen->workers, "at once, each on a CPU of its own")
      ->check(CLI::Range(1, 64))
      ->default_str("one for each CPU");
  auto* table = line->add_flag("--table", chosen->table,
                               "what survives what: each stage, each kind of fault; --budget each");
  line->add_flag("--record", chosen->record, "keep the table where it is declared")->needs(table);
  add_json_flag(*line, shared);
  return {.line = line, .question = {}, .run = [chosen, &shared] {
            return with_reaper([&](faults::Reaper& reaper) {
              return chosen->table ? run_table(shared.options, *chosen, reaper)
                                   : run_explore(shared.options, *chosen, reaper);
            });
          }};
}

Command replay_command(CLI::App& lab, Shared& shared) {
  struct Asked {
    std::filesystem::path schedule;
    std::string lock;
    std::string client;
  };
  const auto asked = std::make_shared<Asked>();
  auto* line = lab.add_subcommand("replay", "does again what a schedule says");
  line->footer(replay_examples);
  line->add_option("schedule", asked->schedule, "the file that explore has left, or your own")
      ->required();
  line->add_option("lock", asked->lock, "another lock than the schedule names");
  line->add_option("--client", asked->client, "or this program");
  return {.line = line,
          .question = "which schedule? a file that ./lab explore has left",
          .run = [asked, &shared] {
            return with_reaper([&](faults::Reaper& reaper) {
              return run_replay(shared.options, asked->schedule, asked->lock, asked->client,
                                reaper);
            });
          }};
}

}  // namespace app
