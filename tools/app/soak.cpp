// `lab soak`: many clients and dice with a seed, run after run.
#include "faults/explore/search/soak.h"

#include <fmt/format.h>

#include <charconv>
#include <iostream>
#include <memory>

#include "faults/explore/search/option_names.h"
#include "faults/explore/search/saved_search.h"
#include "faults/explore/search/search_report.h"
#include "tools/app/commands.h"
#include "tools/app/search_options.h"
#include "tools/field/locks.h"
#include "tools/table/stages.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/shown_run.h"
#include "tools/terminal/text.h"

namespace app {
namespace {

constexpr const char* soak_examples =
    "Examples:\n"
    "  ./lab soak 5 --seed 7                       four clients, for 30 seconds\n"
    "  ./lab soak 6 --seed 7 --clients 8 --budget 10min --faults kill,lose\n"
    "  ./lab soak 3 --seed 7 --count 500           the same 500 runs whenever it is made\n"
    "\n"
    "Exit codes: 0 nothing was broken, 1 violated, 2 could not run, 3 nothing was shown.\n"
    "Real clients and a real server, in virtual time: docs/searching.md.";

constexpr int most_clients = 12;

struct SoakChosen {
  SearchOptions words{.clients = 4,
                      .operations = "again",
                      .faults = "kill,lose",
                      .at_most = 3,
                      .budget = std::chrono::seconds(30)};
  std::uint64_t seed = 1;
  long runs = 0;
};

explore::SoakResult soak_with_progress(const explore::WorldPlan& world,
                                       const explore::SoakPlan& plan,
                                       const terminal::Language& language, faults::Reaper& reaper) {
  terminal::Progress progress(language("soaking " + world.stage.name));
  auto said = std::chrono::steady_clock::now();
  return explore::soak(world, plan, reaper, [&](const explore::SoakResult& so_far) {
    const auto now = std::chrono::steady_clock::now();
    if (now - said < std::chrono::seconds(1)) return;
    said = now;
    progress.change(language(
        fmt::format("soaking {}: {}", world.stage.name, terminal::counted(so_far.runs, "run"))));
  });
}

nlohmann::json json_of(const explore::SoakResult& result, const explore::SoakPlan& plan,
                       const explore::WorldPlan& world, const std::filesystem::path& schedule) {
  nlohmann::json object{{"lock", world.stage.name},
                        {"seed", plan.seed},
                        {"clients", world.clients},
                        {"operations", world.program.name},
                        {"faults", explore::to_words(plan.faults)},
                        {"runs", result.runs},
                        {"steps", result.steps},
                        {"seconds", result.time.count()},
                        {"broken", nullptr}};
  if (!result.found) return object;
  auto labels = result.found->run.labels;
  labels.resize(result.found->steps);
  object["broken"] = {{"property", faults::to_string(result.found->finding.property)},
                      {"sentence", result.found->finding.sentence},
                      {"run", result.runs},
                      {"steps_before", result.steps_before},
                      {"steps", labels},
                      {"schedule", schedule.native()}};
  return object;
}

// How it ended, in a few words.
std::string describe_end(const explore::SoakResult& result, const faults::Paint& paint) {
  if (result.found) return paint.red("violated");
  return result.runs > 0 ? paint.green("nothing was broken") : paint.yellow("nothing was shown");
}

std::string describe(const explore::SoakResult& result, const explore::WorldPlan& world,
                     const std::filesystem::path& schedule, const faults::Paint& paint) {
  std::string text;
  if (result.found) text = explore::describe_example(*result.found, paint) + "\n";
  text += fmt::format("{} · soak   {}\n  {} with {} in {:.1f} s\n", paint.bold(world.stage.name),
                      describe_end(result, paint), terminal::counted(result.runs, "run"),
                      terminal::counted(result.steps, "step"), result.time.count());
  if (!result.found) return text;
  return text + fmt::format(
                    "broken:    {} in run {}, made shorter from {} steps to {}\n"
                    "again:     {}\n",
                    faults::to_string(result.found->finding.property), result.runs,
                    result.steps_before, result.found->steps, explore::again_with(schedule, world));
}

// Says why it is none; empty: it is one.
std::string must_be_a_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seed);
  if (read.ec == std::errc{} && read.ptr == end) return {};
  return "a seed is a whole number from 0 on, such as 7";
}

int soak_and_tell(const terminal::Options& options, const explore::WorldPlan& world,
                  const explore::SoakPlan& plan, faults::Reaper& reaper) {
  const auto result = soak_with_progress(world, plan, options.language, reaper);
  std::filesystem::path schedule;
  if (result.found) {
    schedule = explore::save({.levels = {}, .found = {*result.found}}, world,
                             terminal::as_seen_from_here(options.runs));
  }
  if (options.json) {
    std::cout << json_of(result, plan, world, schedule).dump(2) << '\n';
  } else {
    std::cout << options.language(describe(result, world, schedule, options.paint));
  }
  if (result.runs == 0) return terminal::exit_not_shown;
  return result.found ? terminal::exit_violated : terminal::exit_holds;
}

int run_soak(const terminal::Options& options, const SoakChosen& chosen, faults::Reaper& reaper) {
  const explore::SoakPlan plan{.seed = chosen.seed,
                               .faults = explore::faults_from(chosen.words.faults),
                               .at_most = chosen.words.at_most,
                               .budget = chosen.words.budget,
                               .runs = chosen.runs};
  const auto run_plan = terminal::plan_for(options, reaper);
  const auto world = chosen.words.world(
      table::stage_or_lock_named(chosen.words.lock, chosen.words.nodes), run_plan.redis);
  if (!options.json) {
    const auto server = fmt::format("virtual time; server {}; lock {}",
                                    faults::version_of(run_plan.redis, reaper), world.stage.name);
    std::cout << options.language(explore::describe_dice(world, plan) + "\n" + server) << std::endl;
  }
  return soak_and_tell(options, world, plan, reaper);
}

}  // namespace

Command soak_command(CLI::App& lab, Shared& shared) {
  const auto chosen = std::make_shared<SoakChosen>();
  auto* line = lab.add_subcommand("soak", "dice with a seed: many clients and faults, on a lock");
  line->footer(soak_examples);
  line->add_option("lock", chosen->words.lock,
                   "such as stage3_set_nx_px, stage3 or 3, or a wrong turn")
      ->required();
  line->add_option("--seed", chosen->seed, "of the dice")
      ->capture_default_str()
      ->check(must_be_a_seed);
  add_search_options(*line, chosen->words, {.clients = most_clients, .faults = 99});
  add_duration_option(*line, "--budget,--for", chosen->words.budget, "how long");
  line->add_option("--count", chosen->runs, "so many runs, however long they take")
      ->check(CLI::Range(1L, 1'000'000'000L));
  add_json_flag(*line, shared);
  return {.line = line,
          .question = "which lock? such as ./lab soak 5 --seed 7",
          .run = [chosen, &shared] {
            return with_reaper(shared.options.language, [&](faults::Reaper& reaper) {
              return run_soak(shared.options, *chosen, reaper);
            });
          }};
}

}  // namespace app
