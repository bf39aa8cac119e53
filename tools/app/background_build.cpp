#include "tools/app/background_build.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "faults/kit/errors.h"
#include "tools/terminal/console.h"

namespace app {
namespace {

// Set by the script in the environment.
constexpr const char* process_variable = "LAB_BUILD_BEHIND";
constexpr const char* log_variable = "LAB_BUILD_LOG";

// A linker makes its result executable when it is complete.
bool is_complete(const std::filesystem::path& program) {
  return access(program.c_str(), X_OK) == 0;
}

// A build that has ended counts as there until its parent waits for it, and we may be the parent.
bool goes_on(pid_t build) {
  siginfo_t ended{};
  if (waitid(P_PID, static_cast<id_t>(build), &ended, WEXITED | WNOHANG | WNOWAIT) == 0) {
    return ended.si_pid == 0;
  }
  return kill(build, 0) == 0;
}

// " (step 12 of 60)", as ninja counts; empty if it has counted none yet.
std::string steps(const std::string& log) {
  std::ifstream input(log);
  std::string last;
  for (std::string line; std::getline(input, line);) {
    if (line.starts_with('[')) last = line;
  }
  const auto slash = last.find('/');
  const auto end = last.find(']');
  if (slash == std::string::npos || end == std::string::npos || end < slash) return {};
  return fmt::format(" (step {} of {})", last.substr(1, slash - 1),
                     last.substr(slash + 1, end - slash - 1));
}

}  // namespace

void wait_until_built(const std::filesystem::path& program, const terminal::Language& language) {
  const char* build = std::getenv(process_variable);
  const char* log = std::getenv(log_variable);
  if (build == nullptr || log == nullptr || is_complete(program)) return;
  const auto what = language("building " + program.filename().native());
  terminal::Progress progress(what);
  const auto process = static_cast<pid_t>(std::strtol(build, nullptr, 10));
  for (bool last_look = false; !is_complete(program);) {
    if (last_look) {
      throw faults::CannotRun(fmt::format("could not build {}; what the compiler says is in {}",
                                          program.filename().native(), log));
    }
    // It may have been completed since it was looked at.
    last_look = process <= 0 || !goes_on(process);
    progress.change(what + language(steps(log)));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace app
