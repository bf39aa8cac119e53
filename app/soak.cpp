// `lab soak`: many clients and dice with a seed, run after run.
#include "explore/search/soak.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "app/commands.h"
#include "explore/search/kept_search.h"
#include "explore/search/words.h"
#include "table/results.h"
#include "table/stages.h"
#include "terminal/console.h"

namespace app {
namespace {

constexpr const char* soak_examples =
    "Examples:\n"
    "  ./lab soak 5 --seed 7                       four clients, for 30 seconds\n"
    "  ./lab soak 6 --seed 7 --clients 8 --for 10min --faults kill,lose\n"
    "  ./lab soak 3 --seed 7 --runs 500            the same 500 runs whenever it is made\n"
    "\n"
    "Exit codes: 0 nothing was broken, 1 violated, 2 could not run.\n"
    "Real clients and a real server, in virtual time: docs/searching.md.";

struct SoakChosen {
  std::string lock;
  std::uint64_t seed = 1;
  int clients = 4;
  std::string operations = "again";
  std::string faults = "kill,lose";
  int at_most = 3;
  double seconds = 30;
  long runs = 0;
  std::string judged;
};

explore::SoakResult soak_with_progress(const explore::WorldPlan& world,
                                       const explore::SoakPlan& plan, faults::Reaper& reaper) {
  terminal::Progress progress("soaking " + world.stage.name);
  auto said = std::chrono::steady_clock::now();
  return explore::soak(world, plan, reaper, [&](const explore::SoakResult& so_far) {
    const auto now = std::chrono::steady_clock::now();
    if (now - said < std::chrono::seconds(1)) return;
    said = now;
    progress.change(fmt::format("soaking {}: {} runs", world.stage.name, so_far.runs));
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

std::string describe(const explore::SoakResult& result, const explore::WorldPlan& world,
                     const std::filesystem::path& schedule, const faults::Paint& paint) {
  std::string text;
  if (result.found) text = explore::describe_example(*result.found, paint) + "\n";
  text += fmt::format("{} · soak   {}\n  {} runs with {} steps in {:.1f} s\n",
                      paint.bold(world.stage.name),
                      result.found ? paint.red("violated") : paint.green("nothing was broken"),
                      result.runs, result.steps, result.time.count());
  if (!result.found) return text;
  return text + fmt::format(
                    "broken:    {} in run {}, made shorter from {} steps to {}\n"
                    "again:     ./lab replay {}\n",
                    faults::to_string(result.found->finding.property), result.runs,
                    result.steps_before, result.found->steps, schedule.native());
}

int run_soak(const table::Options& options, const SoakChosen& chosen, faults::Reaper& reaper) {
  const explore::WorldPlan world{.stage = table::stage_named(chosen.lock),
                                 .redis = table::plan_for(options, reaper).redis,
                                 .clients = chosen.clients,
                                 .program = explore::program_named(chosen.operations),
                                 .judged = explore::properties_from(chosen.judged)};
  const explore::SoakPlan plan{
      .seed = chosen.seed,
      .faults = explore::faults_from(chosen.faults),
      .at_most = chosen.at_most,
      .budget = std::chrono::milliseconds(static_cast<long>(chosen.seconds * 1'000)),
      .runs = chosen.runs};
  if (!options.json) std::cout << explore::describe_dice(world, plan) << std::endl;
  const auto result = soak_with_progress(world, plan, reaper);
  std::filesystem::path schedule;
  if (result.found) {
    schedule = explore::keep({.levels = {}, .found = {*result.found}}, world,
                             terminal::as_seen_from_here(options.runs));
  }
  if (options.json) {
    std::cout << json_of(result, plan, world, schedule).dump(2) << '\n';
  } else {
    std::cout << describe(result, world, schedule, options.paint);
  }
  return result.found ? table::exit_violated : table::exit_holds;
}

}  // namespace

Command soak_command(CLI::App& lab, Shared& shared) {
  const auto chosen = std::make_shared<SoakChosen>();
  auto* line = lab.add_subcommand("soak", "dice with a seed: many clients and faults, on a lock");
  line->footer(soak_examples);
  line->add_option("lock", chosen->lock, "such as stage3_set_nx_px, stage3 or 3, or a wrong turn")
      ->required();
  line->add_option("--seed", chosen->seed, "of the dice")->capture_default_str();
  line->add_option("--clients", chosen->clients, "how many want the lock")
      ->capture_default_str()
      ->check(CLI::Range(1, 12));
  line->add_option("--operations", chosen->operations, "what each does: once, nested, or again")
      ->capture_default_str();
  line->add_option("--faults", chosen->faults, "the kinds that may happen, as of explore")
      ->capture_default_str();
  line->add_option("--at-most", chosen->at_most, "so many faults in one run")
      ->capture_default_str()
      ->check(CLI::Range(0, 99));
  line->add_option("--for", chosen->seconds, "how long")
      ->transform(
          CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"min", 60}, {"h", 3600}},
                                CLI::AsNumberWithUnit::CASE_SENSITIVE, "TIME"))
      ->default_str("30s");
  line->add_option("--runs", chosen->runs, "so many runs, however long they take");
  line->add_option("--judge", chosen->judged, "only that property, such as \"owner-only release\"");
  add_json_flag(*line, shared);
  return {.line = line,
          .question = "which lock? such as ./lab soak 5 --seed 7",
          .run = [chosen, &shared] {
            return with_reaper(
                [&](faults::Reaper& reaper) { return run_soak(shared.options, *chosen, reaper); });
          }};
}

}  // namespace app
