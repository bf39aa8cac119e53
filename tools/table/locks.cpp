#include "tools/table/locks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "faults/kit/errors.h"
#include "faults/running/introduction.h"
#include "tools/table/stages.h"
#include "tools/terminal/suggestions.h"

namespace table {
namespace {

namespace fs = std::filesystem;

fs::path locks_directory() {
  return fs::path(LAB_SOURCE_DIR) / "field";
}

// The lock in the directory `name` of field/; the build has the program of one in C++.
faults::LockFile lock_in(const std::string& name) {
  return faults::read_lock_file(locks_directory() / name,
                                fs::path(LAB_BINARY_DIR) / "field" / name);
}

std::string without_variant(const std::string& name) {
  return name.substr(0, name.find('/'));
}

// The program as a path. Throws CannotRun if there is none on the PATH.
std::string program_named(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (access(name.c_str(), X_OK) == 0) return fs::absolute(name).native();
    throw faults::CannotRun(fmt::format("there is no program {}, or it cannot be run", name));
  }
  const auto* path = std::getenv("PATH");
  std::istringstream directories(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string directory; std::getline(directories, directory, ':');) {
    const auto program = fs::path(directory) / name;
    if (access(program.c_str(), X_OK) == 0 && !fs::is_directory(program)) return program.native();
  }
  throw faults::CannotRun(fmt::format("there is no program \"{}\" on the PATH", name));
}

// A word that names a file becomes its path, so that a run can be started again from anywhere.
std::vector<std::string> with_paths(std::vector<std::string> command) {
  for (auto& word : command) {
    if (!word.starts_with("-") && fs::is_regular_file(word)) word = fs::absolute(word).native();
  }
  command.at(0) = program_named(command.at(0));
  return command;
}

// A name that can stand in a directory's.
std::string harmless(std::string name) {
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_' && c != '.'; },
      '-');
  return name.empty() || name.front() == '.' ? "client" : name;
}

}  // namespace

std::vector<std::string> lock_names() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(locks_directory(), none)) {
    if (fs::exists(entry.path() / "lock.json")) names.push_back(entry.path().filename().native());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<faults::LockFile> all_locks() {
  std::vector<faults::LockFile> locks;
  for (const auto& name : lock_names()) {
    locks.push_back(lock_in(name));
  }
  return locks;
}

bool names_lock(const std::string& name) {
  const auto own = without_variant(name);
  return own.find("..") == std::string::npos && !own.empty() &&
         fs::exists(locks_directory() / own / "lock.json");
}

faults::LockFile lock_file_named(const std::string& name) {
  if (names_lock(name)) return lock_in(without_variant(name));
  throw faults::CannotRun(fmt::format("there is no lock \"{}\" in field/;{} ./lab locks shows all",
                                      name, terminal::did_you_mean(name, lock_names())));
}

faults::Stage stage_or_lock_named(const std::string& name, int nodes) {
  if (names_lock(name)) return lock_named(name, nodes);
  auto stage = stage_named(name);
  if (nodes == 0 || nodes == stage.nodes) return stage;
  if (stage.nodes == 1) {
    throw faults::CannotRun(fmt::format("{} stands on one server, not on {}", stage.name, nodes));
  }
  stage.nodes = nodes;
  return stage;
}

faults::Stage lock_named(const std::string& name, int nodes) {
  const auto lock = lock_file_named(name);
  const auto slash = std::min(name.find('/'), name.size());
  if (!lock.is_installed()) {
    throw faults::CannotRun(
        fmt::format("{} is not installed: ./lab locks install {}", lock.name, lock.name));
  }
  if (lock.is_outdated()) {
    throw faults::CannotRun(fmt::format("{} has changed since it was built: ./lab locks install {}",
                                        lock.name, lock.name));
  }
  auto stage = faults::stage_of(lock, nodes, slash < name.size() ? name.substr(slash + 1) : "");
  stage.command.at(0) = program_named(stage.command.at(0));
  return stage;
}

faults::Stage stage_of_client(const ForeignClient& client, const faults::RunPlan& plan,
                              faults::Reaper& reaper) {
  auto words = words_of(client.command);
  if (words.empty()) throw faults::CannotRun("--client needs a command, as in 'python3 mine.py'");
  faults::Stage stage{.name = "client",
                      .adds = client.command,
                      .directory = {},
                      .command = with_paths(std::move(words)),
                      .commands_on_the_wire = {},
                      .declared = {},
                      .nodes = client.nodes,
                      .marker = {},
                      .turned_from = {},
                      .facts = faults::LockFacts{},
                      .environment = {}};
  auto& facts = *stage.facts;
  if (client.lease.count() > 0) facts.shortest_lease = client.lease;
  const auto introduction = faults::introduce(stage, plan, reaper);
  stage.name = harmless(introduction.name);
  facts.capabilities = introduction.capabilities;
  facts.retry = client.retry;
  facts.waiting = "notified";  // not known: a scenario about messages says if none came
  if (facts.promises("loss_notice")) facts.loss = "told";
  const auto key = client.key.empty() ? introduction.key : client.key;
  if (!key.empty()) facts.key = key;
  return stage;
}

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

}  // namespace table
