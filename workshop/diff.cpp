// `lab diff`: the difference between two stages' locks, by diff(1).
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "faults/errors.h"
#include "workshop/commands.h"
#include "workshop/stages.h"

extern char** environ;

namespace workshop {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const faults::Stage& stage) {
  std::vector<fs::path> files;
  for (const auto& directory : stage.directories()) {
    for (const auto& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
  }
  return files;
}

// The files that make up a lock, header first; then the scripts, and what the later stage brings
// with it.
std::vector<std::string> lock_files(const faults::Stage& from, const faults::Stage& to) {
  std::set<std::string> others;
  for (const auto& path : files_of(from)) {
    if (path.extension() == ".lua") others.insert(path.filename().native());
  }
  for (const auto& path : files_of(to)) {
    const auto name = path.filename().native();
    const auto kind = path.extension();
    const bool around_the_lock = name == "client.cpp" || name.ends_with("test.cpp");
    if ((kind == ".lua" || kind == ".h" || kind == ".cpp") && !around_the_lock &&
        !name.starts_with("lock.")) {
      others.insert(name);
    }
  }
  std::vector<std::string> files{"lock.h", "lock.cpp"};
  files.insert(files.end(), others.begin(), others.end());
  return files;
}

std::string path_or_nothing(const faults::Stage& stage, const std::string& file) {
  for (const auto& directory : stage.directories()) {
    if (fs::exists(directory / file)) return (directory / file).native();
  }
  return "/dev/null";
}

void run_diff(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t child = -1;
  if (posix_spawnp(&child, "diff", nullptr, nullptr, pointers.data(), environ) != 0) {
    throw faults::CannotRun("there is no diff(1) on the PATH; install the package diffutils");
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE) return;  // as with "| head"
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
    throw faults::CannotRun("diff(1) failed; what it said stands above");
  }
}

}  // namespace

int diff(const Options& options, const std::string& from_name, const std::string& to_name) {
  const auto from = stage_named(from_name);
  const auto to = stage_named(to_name);
  std::cout << options.paint.bold(fmt::format("{} → {}: {}", from.name, to.name, to.adds)) << "\n\n"
            << std::flush;
  for (const auto& file : lock_files(from, to)) {
    run_diff({"diff", "-u", options.paint.on ? "--color=always" : "--color=never", "--label",
              from.name + "/" + file, "--label", to.name + "/" + file, path_or_nothing(from, file),
              path_or_nothing(to, file)});
  }
  return exit_holds;
}

}  // namespace workshop
