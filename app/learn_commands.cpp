#include "app/learn_commands.h"

#include <fmt/format.h>

#include "faults/kit/errors.h"
#include "table/options.h"
#include "terminal/suggestions.h"

namespace app {
namespace {

constexpr const char* examples =
    "Examples:\n"
    "  ./lab learn              where you are, what is red, which file to open\n"
    "  ./lab learn start 1      puts a lock into learn/exercise1; open it, and\n"
    "  ./lab learn check        see what it does wrong\n"
    "  ./lab learn hint         if you are stuck\n"
    "\n"
    "Exit codes of check: 0 green, 1 red, 2 could not run, 3 nothing was shown.\n"
    "With --no-predict it does not ask beforehand what will happen.";

// Behind the options, and the words that belong to them.
std::size_t place_of_command(const CLI::App& lab, const std::vector<std::string>& words) {
  std::size_t at = 1;
  for (; at < words.size() && words[at].starts_with("-"); ++at) {
    const auto* option = lab.get_option_no_throw(words[at]);
    if (option != nullptr && option->get_items_expected_max() > 0) ++at;
  }
  return at;
}

}  // namespace

LearnCommands::LearnCommands(CLI::App& learn, table::Options& options, const bool& predict)
    : predict_(predict) {
  options_.directory = LAB_SOURCE_DIR "/learn";
  learn.footer(examples);
  learn.require_subcommand(0, 1);
  learn.fallthrough();
  learn.add_option("--directory", options_.directory, "where your working copies are")
      ->default_str("learn/, beside ./lab");
  learn.add_flag("--json", options.json,
                 "for a machine to read: of ./lab learn itself, list, score, check");
  list_ = learn.add_subcommand("list", "all exercises");
  start_ = learn.add_subcommand("start", "begins an exercise, or goes on with it");
  start_->add_option("exercise", exercise_, "such as 3; the next one if left out");
  check_ = learn.add_subcommand("check", "builds your lock and judges it");
  check_->add_option("scenario", options_.only, "one story alone, such as the one that was red");
  check_->add_flag("--all", options_.all, "look at the old promises also if the story is red");
  watch_ = learn.add_subcommand("watch", "checks whenever you save, until Ctrl-C");
  hint_ = learn.add_subcommand("hint", "one hint more; once it is solved, why it is done so");
  solution_ = learn.add_subcommand("solution", "how ours differs: once solved, or asked twice");
  jump_ = learn.add_subcommand("jump", "joins at an exercise, and leaves out those before");
  jump_->add_option("exercise", exercise_, "such as 3");
  reset_ = learn.add_subcommand("reset", "your files as they were at the beginning");
  reset_->add_option("exercise", exercise_, "such as 3; the one you are at if left out");
  score_ = learn.add_subcommand("score", "what you guessed before runs, and what came");
}

void LearnCommands::must_know(const CLI::App& learn, int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  const auto at = place_of_command(*learn.get_parent(), words);
  if (at + 1 >= words.size() || words[at] != learn.get_name()) return;
  terminal::must_know(learn, "./lab learn", words[at + 1]);
}

bool LearnCommands::needs_servers() const {
  return check_->parsed() || watch_->parsed();
}

int LearnCommands::look(const table::Options& options) {
  options_.common = options;
  if (list_->parsed()) return learning::list(options_);
  if (start_->parsed()) return learning::start(options_, exercise_);
  if (jump_->parsed()) return learning::jump(options_, exercise_);
  if (hint_->parsed()) return learning::hint(options_);
  if (solution_->parsed()) return learning::solution(options_);
  if (reset_->parsed()) return learning::reset(options_, exercise_);
  if (score_->parsed()) return learning::score(options_);
  return learning::status(options_);
}

int LearnCommands::run(const table::Options& options, faults::Reaper& reaper) {
  options_.common = options;
  options_.predict = predict_;
  return check_->parsed() ? learning::check(options_, reaper) : learning::watch(options_, reaper);
}

}  // namespace app
