// `lab`, told nothing: each stage's bug live, then the same scenario on the next stage.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <span>

#include "app/commands.h"
#include "faults/running/describe.h"
#include "faults/running/run.h"
#include "learning/guess.h"
#include "table/options.h"
#include "table/results.h"
#include "table/stages.h"
#include "terminal/console.h"

namespace app {
namespace {

constexpr const char* examples =
    "Examples:\n"
    "  ./lab tour                                 waits for Enter between the steps\n"
    "  ./lab tour --no-predict                    and does not ask what will happen\n"
    "  ./lab tour > tour.txt                      not on a terminal: straight through\n"
    "\n"
    "Ctrl-C ends it at any moment.";

// A scenario that breaks a stage and not its successor.
struct Stop {
  const char* stage;
  const char* next;
  const char* scenario;
  const char* question;  // to think about before the run
};

constexpr std::array stops{
    Stop{"1", "2", "killed_holder",
         "A takes the lock and its process is killed. What does B see, and for how long?"},
    Stop{"2", "3", "killed_mid_acquire",
         "Taking the lock is two commands: SETNX, then PEXPIRE. What if A dies between them?"},
    Stop{"3", "4", "frozen_mid_release",
         "Giving back is GET, compare, DEL. What if A stops for a while after GET said \"yours\"?"},
    Stop{"4", "5", "slow_holder",
         "Both ends are atomic now. What if A's work simply takes longer than its lease?"},
    Stop{"5", "6", "nested_lock",
         "The lease follows the work now. What if a function that holds the lock calls another "
         "that takes it?"},
    Stop{"6", "7", "failover",
         "One thread may come again now. What if the server dies, and its replica is promoted that "
         "has not heard of the lock yet?"},
    Stop{"7", "8", "frozen_holder",
         "Five servers know of the lock now. What if its holder stops right before its write, and "
         "goes on when its lease is over?"},
};

// The stops of a tour of `count` stages: later stages may have been deleted.
std::span<const Stop> stops_of(std::size_t count) {
  return std::span(stops).first(std::clamp<std::size_t>(count, 1, stops.size() + 1) - 1);
}

class Tour {
 public:
  Tour(const table::Options& options, const learning::Predictor& predictor, faults::Reaper& reaper)
      : options_(options),
        predictor_(predictor),
        plan_(table::plan_for(options, reaper)),
        reaper_(reaper) {}

  // True if the run was as declared.
  [[nodiscard]] bool show(const char* stage_name, const char* scenario_name) {
    const auto stage = table::stage_named(stage_name);
    const auto& scenario = *table::scenarios_named(scenario_name).front();
    const auto check = predictor_(stage, scenario);
    const auto result = table::run_showing_progress(stage, scenario, plan_, reaper_);
    std::cout << '\n' << faults::describe_result(result, options_.paint) << std::flush;
    check(result);
    const auto difference = faults::difference_from_declared(stage, result);
    if (!difference.empty()) {
      std::cout << options_.paint.red("not as declared: ") << difference << '\n';
    }
    return difference.empty();
  }

  [[nodiscard]] bool visit(const Stop& stop) {
    const auto stage = table::stage_named(stop.stage);
    std::cout << options_.paint.bold(fmt::format("\n━━ {} ━━ adds {}\n", stage.name, stage.adds))
              << '\n'
              << stop.question << '\n';
    terminal::wait_for_enter();
    bool as_told = show(stop.stage, stop.scenario);
    terminal::wait_for_enter();
    const auto next = table::stage_named(stop.next);
    std::cout << options_.paint.bold(fmt::format("\n━━ the same on {}\n", next.name));
    as_told = show(stop.next, stop.scenario) && as_told;
    std::cout << fmt::format("it adds {}; what changed: ./lab diff {} {}\n", next.adds, stop.stage,
                             stop.next);
    terminal::wait_for_enter();
    return as_told;
  }

 private:
  const table::Options& options_;
  const learning::Predictor& predictor_;
  const faults::RunPlan plan_;
  faults::Reaper& reaper_;
};

int guide(const table::Options& options, const learning::Predictor& predictor,
          faults::Reaper& reaper) {
  std::cout
      << options.paint.bold("How a Redis lock grew up, stage by stage, each broken for real")
      << "\n"
      << "Clients A, B and C are processes, each behind a link that can stop any command or\n"
         "reply. In the pictures time runs down. A bar ┃ in a client's lane: it believes that\n"
         "it holds the lock. In the server's lane: the lock exists, and whose it is. A lease is\n"
         "how long the server keeps a lock that nobody gives back.\n";
  Tour guide(options, predictor, reaper);
  bool as_told = true;
  for (const auto& stop : stops_of(table::all_stages().size()))
    as_told = guide.visit(stop) && as_told;
  const bool to_the_end = table::all_stages().back().name.starts_with("stage8");
  std::cout
      << (to_the_end
              ? "\nThe story ends here. What no stage solves is in the README.md of stage 8.\n"
              : "\nHere the stages end that are there.\n")
      << "Next: read a stage's README.md, or try ./lab table, ./lab run 3, ./lab diff 3 4;\n"
         "or make a lock hold yourself: ./lab learn start 1\n";
  return as_told ? table::exit_holds : table::exit_violated;
}

}  // namespace

Command tour_command(CLI::App& lab, const Shared& shared) {
  auto* line = lab.add_subcommand("tour", "the guided tour: what ./lab does when told nothing");
  line->footer(examples);
  return {.line = line, .question = {}, .run = [&shared] {
            return with_reaper([&shared](faults::Reaper& reaper) {
              const auto predictor = learning::guessing(LAB_SOURCE_DIR "/learn", shared.predict);
              return guide(shared.options, predictor, reaper);
            });
          }};
}

}  // namespace app
