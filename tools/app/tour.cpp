// `lab`, told nothing: each stage's bug live, then the same scenario on the next stage.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <span>

#include "faults/running/result_text.h"
#include "faults/running/run_scenario.h"
#include "tools/app/background_build.h"
#include "tools/app/commands.h"
#include "tools/learning/guess.h"
#include "tools/table/stages.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/shown_run.h"
#include "tools/terminal/text.h"

namespace app {
namespace {

constexpr const char* tour_examples =
    "Examples:\n"
    "  ./lab tour                                 waits for Enter between the steps\n"
    "  ./lab tour --no-predict                    and does not ask what will happen\n"
    "  ./lab tour > tour.txt                      not on a terminal: straight through\n"
    "\n"
    "The key q leaves it where it waits; Ctrl-C ends it at any moment.";

// What a stop shows at its end: how far its fix goes.
struct Encore {
  const char* stage;
  const char* scenario;
  const char* sentence;
};

// A scenario that breaks a stage and not its successor.
struct Stop {
  const char* stage;
  const char* next;
  const char* scenario;
  const char* question;  // to think about before the run
  std::vector<Encore> encores = {};
};

const std::array stops{
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
    Stop{"6",
         "7",
         "failover",
         "One thread may come again now. What if the server dies, and its replica is promoted that "
         "has not heard of the lock yet?",
         {{"7", "minority_down",
           "In that run A held all five servers, so one that forgot did not matter. What a "
           "majority is for: two of five die, and the lock goes on."}}},
    Stop{"7",
         "8",
         "frozen_holder",
         "Five servers know of the lock now. What if its holder stops right before its write, and "
         "goes on when its lease is over?",
         {{"7", "failover_bare_majority",
           "And if A holds three servers only, and the replica of one of them takes over?"},
          {"8", "failover_bare_majority",
           "The same on stage 8. No stage mends it: the counter was lost with the lock, and both "
           "get the same token. So no server of a quorum may have a replica that takes over."}}},
};

// The stops of a tour of `count` stages: later stages may have been deleted.
std::span<const Stop> stops_of(std::size_t count) {
  return std::span(stops).first(std::clamp<std::size_t>(count, 1, stops.size() + 1) - 1);
}

class Tour {
 public:
  Tour(const terminal::Options& options, const learning::Predictor& predictor,
       faults::Reaper& reaper)
      : options_(options),
        predictor_(predictor),
        plan_(terminal::plan_for(options, reaper)),
        reaper_(reaper) {}

  // True if the run was as declared.
  [[nodiscard]] bool show(const char* stage_name, const char* scenario_name) {
    const auto stage = table::stage_named(stage_name);
    const auto& scenario = *table::scenarios_named(scenario_name).front();
    const auto check = predictor_(stage, scenario);
    wait_until_built(stage.command.front());
    const auto result = terminal::run_showing_progress(stage, scenario, plan_, reaper_);
    std::cout << '\n' << faults::describe_result(result, options_.paint) << std::flush;
    check(result);
    if (!terminal::flush_output()) throw terminal::Leave();
    const auto difference = faults::difference_from_declared(stage, result);
    if (!difference.empty()) {
      std::cout << options_.paint.red("not as declared: ") << difference << '\n';
    }
    return difference.empty();
  }

  // `place`: "2 of 7".
  [[nodiscard]] bool visit(const Stop& stop, const std::string& place) {
    const auto stage = table::stage_named(stop.stage);
    const auto heading = fmt::format("━━ {} ━━ {} ━━ adds {}", place, stage.name, stage.adds);
    std::cout << '\n'
              << options_.paint.bold(terminal::wrapped(heading)) << '\n'
              << terminal::wrapped(stop.question);
    terminal::wait_for_enter();
    bool as_told = show(stop.stage, stop.scenario);
    terminal::wait_for_enter();
    const auto next = table::stage_named(stop.next);
    std::cout << options_.paint.bold(fmt::format("\n━━ {} ━━ the same on {}\n", place, next.name));
    as_told = show(stop.next, stop.scenario) && as_told;
    std::cout << terminal::wrapped(fmt::format("it adds {}; what changed: ./lab diff {} {}",
                                               next.adds, stop.stage, stop.next));
    for (const auto& encore : stop.encores) {
      terminal::wait_for_enter();
      std::cout << '\n' << terminal::wrapped(encore.sentence);
      as_told = show(encore.stage, encore.scenario) && as_told;
    }
    terminal::wait_for_enter();
    return as_told;
  }

 private:
  const terminal::Options& options_;
  const learning::Predictor& predictor_;
  const faults::RunPlan plan_;
  faults::Reaper& reaper_;
};

void introduce(const terminal::Options& options, std::size_t count) {
  std::cout << options.paint.bold(terminal::wrapped(
                   "How a Redis lock grew up, stage by stage, each broken for real"))
            << terminal::wrapped(
                   "Clients A, B and C are processes, each behind a link that can stop any command "
                   "or reply. In the pictures time runs down. A bar ┃ in a client's lane: it "
                   "believes that it holds the lock. In the server's lane: the lock exists, and "
                   "whose it is. A lease is how long the server keeps a lock that nobody gives "
                   "back.")
            << terminal::wrapped(fmt::format(
                   "There are {} stops, one from each stage to the next.{}", count,
                   terminal::output_is_terminal() ? " A stop takes about a minute. Enter goes on, "
                                                    "q leaves."
                                                  : ""));
  constexpr std::size_t comfortable = 80;
  const auto size = terminal::terminal_size();
  if (size && size->columns < comfortable) {
    std::cout << terminal::wrapped(
        fmt::format("This terminal has {} columns. The pictures need {}, or words are cut off.",
                    size->columns, comfortable));
  }
}

int guide(const terminal::Options& options, const learning::Predictor& predictor,
          faults::Reaper& reaper) {
  const auto all = stops_of(table::all_stages().size());
  introduce(options, all.size());
  Tour guide(options, predictor, reaper);
  bool as_told = true;
  std::size_t number = 0;
  try {
    for (const auto& stop : all) {
      as_told = guide.visit(stop, fmt::format("{} of {}", ++number, all.size())) && as_told;
    }
  } catch (const terminal::Leave&) {
    std::cout << terminal::wrapped(
        fmt::format("left at {} of {}; see one stop alone: ./lab run {} {}", number, all.size(),
                    all[number - 1].stage, all[number - 1].scenario));
    return as_told ? terminal::exit_holds : terminal::exit_violated;
  }
  const bool to_the_end = table::all_stages().back().name.starts_with("stage8");
  std::cout
      << (to_the_end
              ? "\nThe story ends here. What no stage solves is in the README.md of stage 8.\n"
              : "\nThere are no more stages here.\n")
      << terminal::wrapped(
             "Next: read a stage's README.md, or try ./lab table, ./lab run 3, ./lab "
             "diff 3 4, ./lab suite 3 4; or make a lock hold yourself: ./lab learn start 1");
  return as_told ? terminal::exit_holds : terminal::exit_violated;
}

}  // namespace

Command tour_command(CLI::App& lab, const Shared& shared) {
  auto* line = lab.add_subcommand("tour", "the guided tour: what ./lab does when told nothing");
  line->footer(tour_examples);
  return {.line = line, .question = {}, .run = [&shared] {
            return with_reaper([&shared](faults::Reaper& reaper) {
              const auto predictor =
                  learning::make_predictor(LAB_SOURCE_DIR "/learn", shared.predict);
              return guide(shared.options, predictor, reaper);
            });
          }};
}

}  // namespace app
