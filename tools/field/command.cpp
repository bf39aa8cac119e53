#include "tools/field/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "faults/kit/errors.h"
#include "faults/kit/program_path.h"

namespace field {

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  char quote = 0;
  bool in_word = false;
  for (const char c : line) {
    if (quote == 0 && c == ' ') {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) throw faults::CannotRun(fmt::format("a quote is never closed in: {}", line));
  return words;
}

std::string program_named(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (access(name.c_str(), X_OK) == 0) return std::filesystem::absolute(name).native();
    throw faults::CannotRun(fmt::format("there is no program {}, or it cannot be run", name));
  }
  if (const auto program = faults::program_on_path(name)) return program->native();
  throw faults::CannotRun(fmt::format("there is no program \"{}\" on the PATH", name));
}

}  // namespace field
