// `lab model`: hands over to the check of the model of stage 8; or compares models with locks.
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "faults/explore/search/option_names.h"
#include "faults/kit/errors.h"
#include "tools/app/commands.h"
#include "tools/app/search_options.h"
#include "tools/model/against_lock.h"
#include "tools/table/stages.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/run_program.h"
#include "tools/terminal/shown_run.h"

namespace app {
namespace {

constexpr const char* model_examples =
    "Examples:\n"
    "  ./lab model                    three nodes, two holds, one lost hold: half a minute\n"
    "  ./lab model LOSSES=2           two lost holds: a minute more, and 2 GB\n"
    "  ./lab model --against-the-lock            is each step of the locks one of their models?\n"
    "  ./lab model --against-the-lock --lock 8 --faults kill\n"
    "  ./lab model --against-the-lock --lock atlas:acquire=set,release=del\n"
    "\n"
    "Goes through every order of a model of stage 8's fencing tokens (tools/model/fencing.pml) "
    "with "
    "Spin,\n"
    "and has to find two wrong turns of the stage in it. ./lab installs spin.\n"
    "With --against-the-lock: runs the real programs in every order, and compares each with a\n"
    "model of it: neither may do what the other does not (tools/model/README.md).\n"
    "Exit codes: 0 holds and both found, or the same; 1 not; 2 could not run, or the bounds are\n"
    "too large; 3 budget spent.";

int check(const std::vector<std::string>& bounds, const terminal::Language& language) {
  std::vector<std::string> command{LAB_SOURCE_DIR "/tools/model/check"};
  command.insert(command.end(), bounds.begin(), bounds.end());
  return terminal::run_program(std::move(command), language);
}

struct ModelPlan {
  std::vector<std::string> bounds;  // of the check by Spin
  bool against_lock = false;
  SearchOptions words{.faults = "freeze,kill", .budget = std::chrono::seconds(300)};
  std::string during;
};

// Each lock by itself, if none is named. Stage 8 has two: its model knows a freeze in its work
// alone.
std::vector<ModelPlan> comparisons(const ModelPlan& asked) {
  if (!asked.words.lock.empty()) return {asked};
  std::vector<ModelPlan> all(3, asked);
  all[0].words.lock = "4";
  all[1].words.lock = all[2].words.lock = "8";
  all[1].words.faults = "kill";
  all[2].words.faults = "freeze";
  all[2].during = "work";
  return all;
}

// Returns the exit code of one lock.
int compare_lock(const ModelPlan& asked, const terminal::Options& options, faults::Reaper& reaper) {
  const auto lock = table::stage_or_lock_named(asked.words.lock, 1);
  const auto world = asked.words.world(lock, terminal::plan_for(options, reaper).redis);
  const explore::SearchPlan plan{.faults = explore::faults_from(asked.words.faults),
                                 .during = explore::operations_from(asked.during),
                                 .at_most = asked.words.at_most,
                                 .budget = asked.words.budget};
  model::must_be_modelled(lock.name, plan);
  const auto compared = [&] {
    const terminal::Progress progress(options.language("exploring " + lock.name));
    return model::compare_with_lock(*model::model_of(lock.name), world, plan, reaper);
  }();
  const auto& difference = compared.comparison.difference;
  std::filesystem::path schedule;
  if (difference) {
    schedule = model::save(*difference, world, terminal::as_seen_from_here(options.runs));
  }
  if (options.json) {
    std::cout << model::to_json(compared, world, plan, schedule).dump() << std::endl;
  } else {
    std::cout << options.language(model::describe(compared, world, plan, schedule, options.paint));
  }
  if (compared.budget_spent) return terminal::exit_not_shown;
  return difference ? terminal::exit_violated : terminal::exit_holds;
}

int compare_locks(const ModelPlan& asked, const terminal::Options& options,
                  faults::Reaper& reaper) {
  int code = terminal::exit_holds;
  for (const auto& one : comparisons(asked)) {
    const int its = compare_lock(one, options, reaper);
    if (code != terminal::exit_violated && its != terminal::exit_holds) code = its;
  }
  if (options.json) return code;
  std::cout << options.language(
      "one server; not compared: BEGIN, timers, what a renewal does, and how a client is notified "
      "of a loss\n");
  return code;
}

void add_comparison(CLI::App& line, ModelPlan& asked, Shared& shared, CLI::Option* bounds) {
  auto& words = asked.words;
  auto* against = line.add_flag("--against-the-lock", asked.against_lock,
                                "compares models with the real locks, in every order of events");
  against->excludes(bounds);
  auto* lock = line.add_option("--lock", words.lock,
                               "that one, on one server: 4, 8, a wrong turn, one of the atlas");
  auto* faults =
      line.add_option("--faults", words.faults, "the kinds that may happen: freeze, kill")
          ->capture_default_str();
  auto* during = line.add_option("--during", asked.during,
                                 "only to a client that is in acquire, work or release");
  for (auto* option : {faults, during}) option->needs(lock);
  const std::vector<CLI::Option*> options{
      lock,
      line.add_option("--clients", words.clients, "how many want the lock")
          ->capture_default_str()
          ->check(CLI::Range(1, 4)),
      line.add_option("--at-most", words.at_most, "so many faults in one run")
          ->capture_default_str()
          ->check(CLI::Range(0, 3)),
      add_duration_option(line, "--budget", words.budget, "for how long at most"),
      add_json_flag(line, shared)};
  for (auto* option : options) option->needs(against);
}

}  // namespace

Command model_command(CLI::App& lab, Shared& shared) {
  const auto asked = std::make_shared<ModelPlan>();
  auto* line = lab.add_subcommand("model", "stage 8's tokens in every order of a model");
  line->footer(model_examples);
  auto* bounds =
      line->add_option("bounds", asked->bounds,
                       "such as LOSSES=2; tools/model/fencing.pml has them")
          ->check(CLI::Validator(
              [](std::string& text) {
                const bool is_bound =
                    text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_=0123456789") ==
                        std::string::npos &&
                    text.find('=') != std::string::npos;
                return is_bound ? std::string{} : "a bound is NAME=NUMBER, such as LOSSES=2";
              },
              "NAME=NUMBER"));
  add_comparison(*line, *asked, shared, bounds);
  return {.line = line, .question = {}, .run = [asked, &shared] {
            if (!asked->against_lock) return check(asked->bounds, shared.options.language);
            return with_reaper(shared.options.language, [&](faults::Reaper& reaper) {
              return compare_locks(*asked, shared.options, reaper);
            });
          }};
}

}  // namespace app
