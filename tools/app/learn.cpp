// `lab learn`: its command line, which has commands of its own; tools/learning/ does the work.
#include "tools/learning/learn.h"

#include <memory>

#include "tools/app/commands.h"
#include "tools/app/search_options.h"
#include "tools/app/step_through.h"

namespace app {
namespace {

constexpr const char* learn_examples =
    "Examples:\n"
    "  ./lab learn              where you are, what is red, which file to open\n"
    "  ./lab learn start 1      puts a lock into learn/exercise1; open it, and\n"
    "  ./lab learn check        see what it does wrong\n"
    "  ./lab learn hint         if you are stuck\n"
    "\n"
    "Exit codes of check: 0 green, 1 red, 2 could not run, 3 nothing was shown.\n"
    "With --no-predict it does not ask beforehand what will happen.";

// The command line of `lab learn`, and what was given on it.
struct Line {
  learning::Options options;
  std::string exercise;
  CLI::App* list = nullptr;
  CLI::App* start = nullptr;
  CLI::App* jump = nullptr;
  CLI::App* check = nullptr;
  CLI::App* watch = nullptr;
  CLI::App* hint = nullptr;
  CLI::App* reset = nullptr;
  CLI::App* solution = nullptr;
  CLI::App* quiz = nullptr;
  CLI::App* score = nullptr;
  CLI::App* step = nullptr;
  std::filesystem::path schedule;
};

void add_commands(CLI::App& learn, Line& line) {
  line.list = learn.add_subcommand("list", "all exercises");
  line.start = learn.add_subcommand("start", "begins an exercise, or continues it");
  line.start->add_option("exercise", line.exercise, "such as 3; the next one if left out");
  line.check = learn.add_subcommand("check", "builds your lock and judges it");
  line.check->add_option("scenario", line.options.only,
                         "one scenario alone, such as the one that was red");
  line.check->add_flag("--all", line.options.all,
                       "look at the old promises also if the scenario is red");
  line.check
      ->add_option("--search", line.options.search,
                   "once all hold, search so many orders for one that breaks it; 0: none; 4000 if "
                   "left out, 200 in Python")
      ->check(CLI::Range(0L, 100'000'000L));
  line.watch = learn.add_subcommand("watch", "checks whenever you save, until Ctrl-C");
  line.hint = learn.add_subcommand("hint", "one hint more; once it is solved, why it is done so");
  line.solution = learn.add_subcommand("solution", "how ours differs: once solved, or asked twice");
  line.step = learn.add_subcommand("step", "you choose, one event at a time, what your lock meets");
  line.step->add_option("schedule", line.schedule, "begin at the end of this one, as check says");
  line.jump = learn.add_subcommand("jump", "joins at an exercise, and leaves out those before");
  line.jump->add_option("exercise", line.exercise, "such as 3");
  line.reset = learn.add_subcommand("reset", "your files as they were at the beginning");
  line.reset->add_option("exercise", line.exercise, "such as 3; the one you are at if left out");
  line.quiz = learn.add_subcommand("quiz", "an order that the search found: what will come of it?");
  line.quiz->add_option("exercise", line.exercise, "such as 3; the one you are at if left out");
  line.score = learn.add_subcommand("score", "what you guessed before runs, and what came");
}

int step_through_own(const Line& line, faults::Reaper& reaper) {
  explore::Schedule schedule;
  if (!line.schedule.empty()) schedule = explore::read_schedule(line.schedule);
  return step_through(learning::lock_at_hand(line.options, reaper), schedule, line.options.common,
                      reaper);
}

int run_command_of(const Line& line) {
  if (line.list->parsed()) return learning::list(line.options);
  if (line.start->parsed()) return learning::start(line.options, line.exercise);
  if (line.jump->parsed()) return learning::jump(line.options, line.exercise);
  if (line.hint->parsed()) return learning::hint(line.options);
  if (line.solution->parsed()) return learning::solution(line.options);
  if (line.reset->parsed()) return learning::reset(line.options, line.exercise);
  if (line.score->parsed()) return learning::score(line.options);
  const bool works =
      line.check->parsed() || line.watch->parsed() || line.step->parsed() || line.quiz->parsed();
  if (!works) return learning::status(line.options);
  return with_reaper(line.options.common.language, [&line](faults::Reaper& reaper) {
    if (line.step->parsed()) return step_through_own(line, reaper);
    if (line.quiz->parsed()) return learning::quiz(line.options, line.exercise, reaper);
    return line.check->parsed() ? learning::check(line.options, reaper)
                                : learning::watch(line.options, reaper);
  });
}

}  // namespace

Command learn_command(CLI::App& lab, Shared& shared) {
  const auto line = std::make_shared<Line>();
  auto* learn = lab.add_subcommand("learn", "eight exercises: you are given a lock, make it hold");
  learn->footer(learn_examples);
  learn->require_subcommand(0, 1);
  learn->fallthrough();
  learn->add_option("--directory", line->options.directory, "where your workspaces are")
      ->default_str("learn/, beside ./lab");
  learn->add_flag("--json", shared.options.json,
                  "for a machine to read: of ./lab learn itself, list, score, check");
  add_commands(*learn, *line);
  return {.line = learn, .question = {}, .run = [line, &shared] {
            line->options.common = shared.options;
            line->options.predict = shared.predict;
            return run_command_of(*line);
          }};
}

}  // namespace app
