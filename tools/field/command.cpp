#include "tools/field/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "faults/kit/errors.h"
#include "faults/kit/program_path.h"
#include "faults/kit/shell_word.h"

namespace field {
namespace {

namespace fs = std::filesystem;

// The version manager whose shims are in that directory: ~/.pyenv/bin/pyenv, or pyenv on the PATH.
std::optional<fs::path> manager_of(const fs::path& shims) {
  if (shims.filename() != "shims") return std::nullopt;
  auto name = shims.parent_path().filename().native();
  if (name.starts_with('.')) name.erase(0, 1);
  const auto own = shims.parent_path() / "bin" / name;
  if (access(own.c_str(), X_OK) == 0) return own;
  return faults::program_on_path(name);
}

// The first line that a command prints; empty: it fails.
std::string line_of(const std::string& command) {
  std::string line;
  const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), pclose);
  for (int c = 0; output && (c = std::fgetc(output.get())) != EOF && c != '\n';) {
    line += static_cast<char>(c);
  }
  return line;
}

std::string behind_shim(const fs::path& program) {
  const auto manager = manager_of(program.parent_path());
  if (!manager) return program.native();
  const auto name = program.filename().native();
  const auto real = line_of(faults::shell_word(manager->native()) + " which " +
                            faults::shell_word(name) + " 2>/dev/null");
  if (access(real.c_str(), X_OK) == 0) return real;
  throw faults::CannotRun(fmt::format("{} is a shim of {}, which has no {} for this directory",
                                      program.native(), manager->filename().native(), name));
}

}  // namespace

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
    if (access(name.c_str(), X_OK) == 0) return behind_shim(fs::absolute(name));
    throw faults::CannotRun(fmt::format("there is no program {}, or it cannot be run", name));
  }
  if (const auto program = faults::program_on_path(name)) return behind_shim(*program);
  throw faults::CannotRun(fmt::format("there is no program \"{}\" on the PATH", name));
}

}  // namespace field
