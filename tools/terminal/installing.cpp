#include "tools/terminal/installing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>

#include "faults/kit/errors.h"
#include "tools/terminal/spawn.h"

namespace terminal {
namespace {

using Words = std::vector<std::string>;

Words as_root(Words command) {
  if (geteuid() != 0) command.insert(command.begin(), "sudo");
  return command;
}

}  // namespace

bool succeeds(const Words& command) {
  std::cerr << "lab: " << fmt::format("{}", fmt::join(command, " ")) << '\n';
  const auto child = spawn(command, {.output = STDERR_FILENO});
  if (child < 0) throw faults::CannotRun(command.front() + " cannot be started: is it installed?");
  const auto status = await_end(child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void must_succeed(const Words& command) {
  if (succeeds(command)) return;
  throw faults::CannotRun(fmt::format("{} did not succeed", fmt::join(command, " ")));
}

// The lists of packages may be old, or not there at all; and somebody else may be installing.
void install_debian(const Words& packages) {
  auto command = as_root({"apt-get", "install", "-y", "--no-install-recommends", "--no-upgrade",
                          "-o", "DPkg::Lock::Timeout=120"});
  command.insert(command.end(), packages.begin(), packages.end());
  if (succeeds(command)) return;
  must_succeed(as_root({"apt-get", "update"}));
  must_succeed(command);
}

void need_pip() {
  if (!succeeds({"python3", "-m", "pip", "--version"})) install_debian({"python3-pip"});
}

}  // namespace terminal
