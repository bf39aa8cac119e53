#include "workshop/unified_diff.h"

#include <spawn.h>
#include <sys/wait.h>

#include <csignal>
#include <vector>

#include "faults/errors.h"

extern char** environ;

namespace workshop {
namespace {

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

std::string name_of(const std::filesystem::path& file) {
  return std::filesystem::exists(file) ? file.native() : "/dev/null";
}

}  // namespace

void show_difference(const faults::Paint& paint, const Labelled& from, const Labelled& to) {
  run_diff({"diff", "-u", paint.on ? "--color=always" : "--color=never", "--label", from.label,
            "--label", to.label, name_of(from.file), name_of(to.file)});
}

}  // namespace workshop
