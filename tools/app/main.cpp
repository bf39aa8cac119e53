// The program behind `./lab`: its command line, and the command that was called.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <sstream>
#include <vector>

#include "faults/kit/errors.h"
#include "tools/app/all_commands.h"
#include "tools/app/commands.h"
#include "tools/app/help.h"
#include "tools/app/old_names.h"
#include "tools/terminal/command_line.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/help.h"
#include "tools/terminal/text.h"

namespace {

using app::Command;

const Command& called_of(const std::vector<Command>& commands) {
  const auto called = std::find_if(commands.begin(), commands.end(),
                                   [](const Command& command) { return command.line->parsed(); });
  return called == commands.end() ? commands.front() : *called;
}

// "help explore" is "explore --help".
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  if (words.size() < 2 || words[1] != "help") return words;
  words.erase(words.begin() + 1);
  words.emplace_back("--help");
  return words;
}

// The place of the command, after the options and their arguments.
std::size_t place_of_command(const CLI::App& lab, const std::vector<std::string>& words) {
  std::size_t at = 1;
  for (; at < words.size() && words[at].starts_with("-"); ++at) {
    const auto* option = lab.get_option_no_throw(words[at]);
    if (option != nullptr && option->get_items_expected_max() > 0) ++at;
  }
  return at;
}

// Throws CannotRun, with the nearest names, for an unknown command, or one of a command with
// commands of its own.
void must_know_commands(const CLI::App& lab, const std::vector<std::string>& words) {
  const auto at = place_of_command(lab, words);
  if (at < words.size()) terminal::must_know(lab, "./lab", words[at]);
  if (at + 1 >= words.size()) return;
  for (const auto* line : lab.get_subcommands(nullptr)) {
    const bool has_commands = !line->get_subcommands(nullptr).empty();
    if (line->get_name() != words[at] || !has_commands) continue;
    terminal::must_know(*line, "./lab " + words[at], words[at + 1]);
  }
}

// What --help and --version say.
int show_help(CLI::App& lab, const CLI::ParseError& error, const terminal::Language& language) {
  terminal::translate_help(lab, language);
  std::ostringstream help;
  const int code = lab.exit(error, help, help);
  const auto column = lab.get_formatter()->get_column_width();
  std::cout << terminal::wrapped_help(help.str(), column);
  return code;
}

int run_program(std::vector<std::string> words) {
  CLI::App lab(app::help::description, "./lab");
  lab.footer(app::help::examples);
  lab.set_version_flag("--version", "redis-lock-lab " LAB_VERSION, "which version this is");
  app::Shared shared;
  app::add_shared_flags(lab, shared);
  lab.require_subcommand(0, 1);
  lab.fallthrough();
  const auto commands = add_commands(lab, shared);
  app::use_new_names(lab, words, place_of_command(lab, words), terminal::language_of(words));
  must_know_commands(lab, words);
  try {
    lab.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
  } catch (const CLI::RequiredError& error) {
    const auto& question = called_of(commands).question;
    throw faults::CannotRun((question.empty() ? error.what() : question) + "; see ./lab --help");
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return show_help(lab, error, terminal::language_of(words));
    throw faults::CannotRun(terminal::what_is_wrong(lab, "./lab", error));
  }
  app::choose_look(shared);
  return called_of(commands).run();
}

}  // namespace

int main(int argc, char** argv) {
  const auto words = words_of(argc, argv);
  try {
    const int code = run_program(words);
    (void)terminal::flush_output();
    return code;
  } catch (const std::exception& error) {
    std::cerr << "lab: " << terminal::language_of(words)(error.what()) << '\n';
    return terminal::exit_cannot_run;
  }
}
