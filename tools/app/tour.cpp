// `lab` without a command: each stage's bug live, then the same scenario on the next stage.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <span>

#include "faults/running/run_scenario.h"
#include "tools/app/background_build.h"
#include "tools/app/commands.h"
#include "tools/app/tour_texts.h"
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

// The stops of a tour of `count` stages: later stages may have been deleted.
std::span<const Stop> stops_of(std::size_t count) {
  return std::span(tour_stops).first(std::clamp<std::size_t>(count, 1, tour_stops.size() + 1) - 1);
}

// `english` in the reader's language, in lines.
std::string in_lines(const terminal::Options& options, const std::string& english) {
  return terminal::wrapped(options.language(english));
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
    wait_until_built(stage.command.front(), options_.language);
    const auto result =
        terminal::run_showing_progress(stage, scenario, plan_, options_.language, reaper_);
    std::cout << '\n' << terminal::told(result, options_) << std::flush;
    check(result);
    if (!terminal::flush_output()) throw terminal::Leave();
    const auto difference = faults::difference_from_declared(stage, result);
    if (!difference.empty()) {
      std::cout << options_.paint.red(options_.language("not as declared: " + difference)) << '\n';
    }
    return difference.empty();
  }

  // `place`: "2 of 7".
  [[nodiscard]] bool visit(const Stop& stop, const std::string& place) {
    const auto stage = table::stage_named(stop.stage);
    const auto heading = fmt::format("━━ {} ━━ {} ━━ adds {}", place, stage.name, stage.adds);
    std::cout << '\n'
              << options_.paint.bold(in_lines(options_, heading)) << '\n'
              << in_lines(options_, stop.question);
    terminal::wait_for_enter(options_.language);
    bool as_told = show(stop.stage, stop.scenario);
    terminal::wait_for_enter(options_.language);
    const auto next = table::stage_named(stop.next);
    const auto again = fmt::format("━━ {} ━━ the same on {}", place, next.name);
    std::cout << '\n' << options_.paint.bold(options_.language(again)) << '\n';
    as_told = show(stop.next, stop.scenario) && as_told;
    std::cout << in_lines(options_, fmt::format("it adds {}; what changed:", next.adds))
              << fmt::format("  ./lab diff {} {}\n", stop.stage, stop.next);
    for (const auto& encore : stop.encores) {
      terminal::wait_for_enter(options_.language);
      std::cout << '\n' << in_lines(options_, encore.sentence);
      as_told = show(encore.stage, encore.scenario) && as_told;
    }
    terminal::wait_for_enter(options_.language);
    return as_told;
  }

 private:
  const terminal::Options& options_;
  const learning::Predictor& predictor_;
  const faults::RunPlan plan_;
  faults::Reaper& reaper_;
};

void introduce(const terminal::Options& options, std::size_t count) {
  std::cout << options.paint.bold(in_lines(options, tour_title)) << in_lines(options, tour_words)
            << in_lines(options,
                        fmt::format("There are {} stops, one from each stage to the next.{}", count,
                                    terminal::output_is_terminal()
                                        ? " A stop takes about a minute. Enter continues, q leaves."
                                        : ""));
  constexpr std::size_t comfortable = 80;
  const auto size = terminal::terminal_size();
  if (size && size->columns < comfortable) {
    std::cout << in_lines(
        options,
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
    std::cout << in_lines(
        options, fmt::format("left at {} of {}; see one stop alone: ./lab run {} {}", number,
                             all.size(), all[number - 1].stage, all[number - 1].scenario));
    return as_told ? terminal::exit_holds : terminal::exit_violated;
  }
  const bool to_the_end = table::all_stages().back().name.starts_with("stage8");
  const auto* end =
      to_the_end ? "The story ends here. What no stage solves is in the README.md of stage 8."
                 : "There are no more stages here.";
  std::cout << '\n' << in_lines(options, end) << in_lines(options, tour_next);
  return as_told ? terminal::exit_holds : terminal::exit_violated;
}

}  // namespace

Command tour_command(CLI::App& lab, const Shared& shared) {
  auto* line = lab.add_subcommand("tour", "the guided tour: what ./lab does when told nothing");
  line->footer(tour_examples);
  return {.line = line, .question = {}, .run = [&shared] {
            return with_reaper(shared.options.language, [&shared](faults::Reaper& reaper) {
              const auto predictor = learning::make_predictor(
                  LAB_SOURCE_DIR "/learn", shared.predict, shared.options.language);
              return guide(shared.options, predictor, reaper);
            });
          }};
}

}  // namespace app
