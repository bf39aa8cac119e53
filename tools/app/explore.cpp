// `lab explore`: a search through every order of events.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <memory>

#include "faults/explore/coverage/coverage_report.h"
#include "faults/explore/search/option_names.h"
#include "faults/explore/search/saved_search.h"
#include "faults/explore/search/search_report.h"
#include "faults/explore/stepping/explored_tree.h"
#include "faults/kit/errors.h"
#include "tools/app/commands.h"
#include "tools/app/search_options.h"
#include "tools/app/search_parts.h"
#include "tools/app/search_table.h"
#include "tools/book/documents.h"
#include "tools/field/foreign_client.h"
#include "tools/field/locks.h"
#include "tools/table/stages.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/shown_run.h"

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
    "  ./lab explore 5 --redis valkey-9.1                on another server, of ./lab servers\n"
    "  ./lab explore 5 --operations nested --at-most 0   its thread takes the lock twice\n"
    "  ./lab explore 6 --coverage covered.json           which branches no order reached\n"
    "  ./lab explore 5 --at-most 2 --split 8 > parts     its parts, for other machines:\n"
    "  ./lab explore 5 --at-most 2 --prefixes parts      each part, a line of JSON\n"
    "\n"
    "Exit codes: 0 none within these bounds, 1 violated, 2 could not run, 3 budget spent.\n"
    "Real clients and a real server, in virtual time: docs/searching.md.";

struct Chosen {
  SearchOptions words{.faults = "freeze,kill,lose,slow", .budget = std::chrono::seconds(60)};
  field::ForeignClient client;  // in the place of the lock, if it has a command
  std::string during;
  bool once_each = false;
  bool all_orders = false;
  bool twice = false;
  bool merge = false;
  bool alike = false;
  std::size_t memory = 1024;  // in MiB
  std::optional<int> switches;
  bool in_order = false;
  bool fresh = false;
  bool table = false;
  bool record = false;
  std::size_t split = 0;           // so many steps; 0: it is not divided
  std::filesystem::path tree;      // the file for it; empty: a search
  std::filesystem::path coverage;  // the file for it; empty: not asked for
  std::filesystem::path prefixes;  // the file of a part; empty: the whole
  int workers = explore::OneCpu::count();
};

explore::WorldPlan world_of(const Chosen& chosen, const faults::RunPlan& plan,
                            faults::Reaper& reaper) {
  const auto& client = chosen.client;
  if (client.command.empty() && chosen.words.lock.empty()) {
    throw faults::CannotRun("which lock? such as ./lab explore 3");
  }
  if (!client.command.empty() && !chosen.words.lock.empty()) {
    throw faults::CannotRun(
        fmt::format("{} or --client: a search has one lock", chosen.words.lock));
  }
  auto own = client;
  own.nodes = std::max(1, chosen.words.nodes);
  auto world = chosen.words.world(
      client.command.empty() ? table::stage_or_lock_named(chosen.words.lock, chosen.words.nodes)
                             : field::lock_of_client(own, plan, reaper),
      plan.redis);
  world.fresh_clients = chosen.fresh;
  constexpr int most_alike = 5;
  if (chosen.alike && (world.stage.nodes < 2 || world.stage.nodes > most_alike)) {
    throw faults::CannotRun(fmt::format("--alike is for 2 to {} servers", most_alike));
  }
  return world;
}

int sampled(const Chosen& chosen) {
  return chosen.twice ? 1 : explore::SearchPlan().sampled;
}

explore::SearchPlan plan_of(const Chosen& chosen) {
  return {.faults = explore::faults_from(chosen.words.faults),
          .during = explore::operations_from(chosen.during),
          .at_most = chosen.words.at_most,
          .once_each = chosen.once_each,
          .budget = chosen.words.budget,
          .reduced = !chosen.all_orders,
          .merges = chosen.merge,
          .servers_are_alike = chosen.alike,
          .memory = chosen.memory << 20U,
          .sampled = sampled(chosen),
          .workers = chosen.workers,
          .switches = chosen.switches,
          .in_order = chosen.in_order,
          .looks_back = true};
}

int exit_code(explore::SearchOutcome ending) {
  switch (ending) {
    case explore::SearchOutcome::none:
    case explore::SearchOutcome::covered_by_others: return terminal::exit_holds;
    case explore::SearchOutcome::violated: return terminal::exit_violated;
    case explore::SearchOutcome::budget_spent: break;
  }
  return terminal::exit_not_shown;
}

explore::SearchResult search_once(const explore::WorldPlan& world, const explore::SearchPlan& plan,
                                  const terminal::Language& language, faults::Reaper& reaper) {
  const auto& lock = world.stage.name;
  terminal::Progress progress(language("exploring " + lock));
  auto said = std::chrono::steady_clock::now();
  return explore::search(world, plan, reaper, [&](const explore::SearchResult& so_far) {
    const auto now = std::chrono::steady_clock::now();
    if (now - said < std::chrono::seconds(1)) return;
    said = now;
    progress.change(
        language(fmt::format("exploring {}: {}", lock, explore::describe_progress(so_far))));
  });
}

explore::SearchResult search_with_progress(explore::WorldPlan& world,
                                           const explore::SearchPlan& plan,
                                           const terminal::Language& language,
                                           faults::Reaper& reaper) {
  if (plan.servers_are_alike) return search_once(world, plan, language, reaper);
  return explore::search_with_new_processes_if_need_be(
      world, [&] { return search_once(world, plan, language, reaper); },
      [&](const explore::Diverged& difference) {
        const auto again = fmt::format(
            "{} remembers something between two runs: again, with new processes for each",
            world.stage.name);
        std::cerr << fmt::format("lab: {}\n  {}\n", language(again), difference.what());
      });
}

// Throws CannotRun: before a search, which may take long.
void must_be_writable(const std::filesystem::path& file) {
  const bool was_there = std::filesystem::exists(file);
  if (!std::ofstream(file, std::ios::app)) {
    throw faults::CannotRun(fmt::format("cannot write {}", file.native()));
  }
  if (!was_there) std::filesystem::remove(file);
}

int write_tree(const explore::WorldPlan& world, const explore::SearchPlan& plan,
               const std::filesystem::path& file, const terminal::Options& options,
               faults::Reaper& reaper) {
  must_be_writable(file);
  const auto tree = explore::explored_tree(world, plan, reaper);
  auto ending = explore::SearchOutcome::budget_spent;
  if (tree) {
    book::write_file(file, tree->dump() + "\n");
    ending =
        (*tree)["broken"].empty() ? explore::SearchOutcome::none : explore::SearchOutcome::violated;
  }
  const auto& paint = options.paint;
  const auto end =
      tree ? fmt::format("{} orders, written to {}", (*tree)["orders"].get<long>(), file.native())
           : fmt::format("{} is not written: the tree is not whole; narrow its bounds",
                         file.native());
  std::cout << options.language(fmt::format("{} · explore   {}\n  {}\n",
                                            paint.bold(world.stage.name),
                                            explore::describe(ending, paint), end));
  return exit_code(ending);
}

// Which branches of its scripts were taken: if `world` has recorded the calls.
std::optional<std::vector<explore::ScriptCoverage>> covered(const explore::WorldPlan& world,
                                                            const terminal::Language& language,
                                                            faults::Reaper& reaper) {
  if (!world.script_calls) return std::nullopt;
  const terminal::Progress progress(language("making the calls of its scripts again"));
  return explore::cover_scripts(*world.script_calls, world.stage, world.redis, reaper);
}

void show(const explore::SearchResult& result, const explore::SearchPlan& plan,
          const explore::WorldPlan& world, const std::filesystem::path& coverage_file,
          const terminal::Options& options, faults::Reaper& reaper) {
  std::filesystem::path schedule;
  if (!result.found.empty()) {
    schedule = explore::save(result, world, terminal::as_seen_from_here(options.runs));
  }
  const auto& say = options.language;
  const auto coverage = covered(world, say, reaper);
  auto object = explore::to_json(result, plan, world, schedule);
  if (coverage) {
    object["coverage"] = explore::to_json(*coverage);
    object["all_calls_made_again"] = !world.script_calls->is_full();
    book::write_file(coverage_file, object.dump(2) + "\n");
  }
  if (options.json) {
    std::cout << object.dump(2) << '\n';
    return;
  }
  std::cout << say(explore::describe_search(result, plan, world, schedule, options.paint));
  if (!coverage) return;
  if (world.script_calls->is_full()) {
    std::cout << say("not every call of a script was kept: some of these may have been taken\n");
  }
  std::cout << say(explore::describe_coverage(*coverage))
            << say(fmt::format("coverage:  written to {}\n", coverage_file.native()));
}

int run_explore(const terminal::Options& options, const Chosen& chosen, faults::Reaper& reaper) {
  auto world = world_of(chosen, terminal::plan_for(options, reaper), reaper);
  const auto plan = plan_of(chosen);
  if (chosen.split > 0) return write_prefixes(world, plan, chosen.split, reaper);
  if (!chosen.prefixes.empty()) {
    return search_prefixes(world, plan, chosen.prefixes, options, reaper);
  }
  if (!chosen.tree.empty()) return write_tree(world, plan, chosen.tree, options, reaper);
  if (!chosen.coverage.empty()) {
    must_be_writable(chosen.coverage);
    world.script_calls = std::make_shared<explore::ScriptCalls>();
  }
  const auto result = search_with_progress(world, plan, options.language, reaper);
  show(result, plan, world, chosen.coverage, options, reaper);
  return exit_code(explore::outcome_of(result));
}

int run(const terminal::Options& options, const Chosen& chosen, faults::Reaper& reaper) {
  if (!chosen.table) return run_explore(options, chosen, reaper);
  return search_table({.lock = chosen.words.lock,
                       .effort = {.budget = chosen.words.budget,
                                  .workers = chosen.workers,
                                  .sampled = sampled(chosen)},
                       .record = chosen.record},
                      options, reaper);
}

// The bounds that soak does not share.
std::vector<CLI::Option*> add_bounds(CLI::App& line, Chosen& chosen) {
  return {
      line.add_option(
          "--during", chosen.during,
          "only to a client that is in acquire, work or release, or to a server while one is"),
      line.add_flag("--once-each", chosen.once_each, "each kind of fault once in one run at most"),
      line.add_flag("--all-orders", chosen.all_orders,
                    "without the reduction: orders that differ in nothing, too"),
      line.add_flag("--merge", chosen.merge, "search no state twice"),
      line.add_flag("--alike", chosen.alike,
                    "with --merge: takes states that differ only in which server is which for "
                    "one; for a lock that treats its servers alike")
          ->needs(line.get_option("--merge")),
      line.add_option("--memory", chosen.memory, "for the states that were met, in MiB")
          ->check(CLI::Range(1, 1'000'000)),
      line.add_option("--switches", chosen.switches,
                      "leave a client that could go on so many times in one run at most")
          ->check(CLI::Range(0, 9))
          ->excludes(line.get_option("--alike")),
      line.add_flag("--in-order", chosen.in_order,
                    "on several servers: a client's commands reach them in the order of their "
                    "names")
          ->excludes(line.get_option("--alike")),
      line.add_flag("--fresh", chosen.fresh,
                    "new processes for each run: for a lock that remembers something between "
                    "two")};
}

// How it is run.
std::vector<CLI::Option*> add_effort(CLI::App& line, Chosen& chosen, Shared& shared) {
  return {
      add_duration_option(line, "--budget", chosen.words.budget, "for how long at most"),
      line.add_option("--workers", chosen.workers, "at once, each on a CPU of its own")
          ->check(CLI::Range(1, 64))
          ->default_str("one for each CPU"),
      line.add_flag("--twice", chosen.twice,
                    "does each order twice, and not one in a hundred; what differs is an error"),
      add_json_flag(line, shared)};
}

// For a search that is divided among machines. To divide it is no search: what it would not heed is
// an error.
std::vector<CLI::Option*> add_parts(CLI::App& line, Chosen& chosen,
                                    const std::vector<CLI::Option*>& unheeded) {
  auto* split = line.add_option("--split", chosen.split,
                                "writes every beginning of so many steps, one a line")
                    ->check(CLI::Range(1, 99));
  for (auto* option : unheeded) split->excludes(option);
  auto* prefixes = line.add_option("--prefixes", chosen.prefixes,
                                   "searches behind each line of this file; JSON lines; "
                                   "--budget each");
  auto* tree = line.add_option("--tree", chosen.tree,
                               "writes every order, and what could be seen at each step, as JSON: "
                               "tools/report/trees/ is what ./lab report shows");
  for (const auto* name : {"--merge", "--memory", "--workers", "--twice", "--json"}) {
    tree->excludes(line.get_option(name));
  }
  tree->check([](const std::string& file) { return file.empty() ? "needs a file" : ""; });
  auto* coverage = line.add_option(
      "--coverage", chosen.coverage,
      "says which branches of the lock's scripts no order reached; writes it as JSON");
  coverage->check([](const std::string& file) { return file.empty() ? "needs a file" : ""; });
  coverage->excludes(split)->excludes(prefixes)->excludes(tree);
  return {split, prefixes->excludes(split), tree->excludes(split)->excludes(prefixes), coverage};
}

// The table has its own bounds: an option that it would not heed is an error.
void add_table(CLI::App& line, Chosen& chosen, const std::vector<CLI::Option*>& unheeded) {
  auto* table = line.add_flag("--table", chosen.table,
                              "what survives what: each kind of fault, on each stage or on one "
                              "lock; --budget each");
  for (auto* option : unheeded) table->excludes(option);
  line.add_flag("--record", chosen.record, "keep the table where it is declared")->needs(table);
}

}  // namespace

Command explore_command(CLI::App& lab, Shared& shared) {
  const auto chosen = std::make_shared<Chosen>();
  auto* line = lab.add_subcommand("explore", "looks by itself: every order of events, on a lock");
  line->footer(explore_examples);
  line->add_option("lock", chosen->words.lock,
                   "such as stage3_set_nx_px, stage3 or 3, a wrong turn, or redis-py");
  std::vector<CLI::Option*> bounds{
      line->add_option("--client", chosen->client.command,
                       "in its place: a program that speaks docs/client-protocol.md, with "
                       "arguments"),
      add_facts_option(*line, chosen->client.facts)};
  for (const auto& more : {add_search_options(*line, chosen->words, {.clients = 6, .faults = 9}),
                           add_bounds(*line, *chosen),
                           add_parts(*line, *chosen, add_effort(*line, *chosen, shared))}) {
    bounds.insert(bounds.end(), more.begin(), more.end());
  }
  add_table(*line, *chosen, bounds);
  return {.line = line, .question = {}, .run = [chosen, &shared] {
            return with_reaper(shared.options.language, [&](faults::Reaper& reaper) {
              return run(shared.options, *chosen, reaper);
            });
          }};
}

}  // namespace app
