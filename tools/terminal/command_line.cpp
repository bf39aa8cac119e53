#include "tools/terminal/command_line.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "faults/kit/errors.h"
#include "tools/terminal/suggestions.h"

namespace terminal {
namespace {

// The options that may be given where `app` is called, with their dashes.
std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const auto* command : app.get_subcommands()) {
    for (auto& name : options_of(*command)) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

void must_know(const CLI::App& app, const std::string& called, const std::string& word) {
  if (word.starts_with("-")) return;
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands(nullptr)) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
    if (command->get_name() == word) return;
  }
  throw faults::CannotRun(fmt::format("{0} has no \"{1}\";{2} {0} --help shows all", called, word,
                                      did_you_mean(word, names)));
}

std::string what_is_wrong(const CLI::App& app, std::string called, const CLI::ParseError& error) {
  for (auto commands = app.get_subcommands(); !commands.empty();
       commands = commands.front()->get_subcommands()) {
    called += " " + commands.front()->get_name();
  }
  const auto left = app.remaining(true);
  if (left.empty()) return fmt::format("{}; see {} --help", error.what(), called);
  const auto& word = left.front();
  if (!word.starts_with("-")) {
    return fmt::format("\"{}\" is not expected here; see {} --help", word, called);
  }
  return fmt::format("there is no option \"{}\";{} {} --help shows all", word,
                     did_you_mean(word, options_of(app)), called);
}

Language language_of(const std::vector<std::string>& words) {
  const std::string option = "--lang";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool is_next = words[i] == option && i + 1 < words.size();
    if (!is_next && !words[i].starts_with(option + "=")) continue;
    const auto name = is_next ? words[i + 1] : words[i].substr(option.size() + 1);
    return name.starts_with("zh") ? Language::named(name) : Language();
  }
  return Language::of_environment();
}

}  // namespace terminal
