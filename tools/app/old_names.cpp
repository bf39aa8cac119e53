#include "tools/app/old_names.h"

#include <algorithm>
#include <iostream>

#include "faults/kit/shell_word.h"
#include "tools/field/locks.h"

namespace app {
namespace {

bool is_command(const CLI::App& field, const std::string& word) {
  const auto commands = field.get_subcommands(nullptr);
  return std::any_of(commands.begin(), commands.end(),
                     [&](const auto* command) { return command->get_name() == word; });
}

// True of a word that only "field run" takes.
bool is_for_run(const CLI::App& field, const std::string& word) {
  if (!word.starts_with("--")) return field::names_lock(word);
  const auto option = word.substr(0, word.find('='));
  return field.get_option_no_throw(option) == nullptr &&
         field.get_subcommand("run")->get_option_no_throw(option) != nullptr;
}

// True if `words` after "field" mean "field run" without naming it.
bool lacks_run(const CLI::App& field, const std::vector<std::string>& words, std::size_t at) {
  const auto first = std::find_if(
      words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end(),
      [&](const auto& word) { return is_command(field, word) || is_for_run(field, word); });
  return first != words.end() && !is_command(field, *first);
}

}  // namespace

void use_new_names(const CLI::App& lab, std::vector<std::string>& words, std::size_t at,
                   const terminal::Language& language) {
  if (at >= words.size()) return;
  const auto given = words;
  if (words[at] == "locks") words[at] = "field";
  if (words[at] == "field" && lacks_run(*lab.get_subcommand("field"), words, at)) {
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, "run");
  }
  if (words == given) return;
  std::string line = "./lab";
  for (std::size_t i = 1; i < words.size(); ++i) line += ' ' + faults::shell_word(words[i]);
  std::cerr << "lab: " << language("this is now: " + line) << '\n';
}

}  // namespace app
