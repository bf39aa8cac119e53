#include "tools/field/install.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "faults/kit/errors.h"
#include "faults/kit/program_path.h"
#include "tools/terminal/spawn.h"

namespace field {
namespace {

using Words = std::vector<std::string>;

// Runs a program, its words on standard error.
bool succeeds(const Words& command) {
  std::cerr << "lab: " << fmt::format("{}", fmt::join(command, " ")) << '\n';
  const auto child = terminal::spawn(command, {.output = STDERR_FILENO});
  if (child < 0) throw faults::CannotRun(command.front() + " cannot be started: is it installed?");
  const auto status = terminal::await_end(child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void must_succeed(const Words& command) {
  if (succeeds(command)) return;
  throw faults::CannotRun(fmt::format("{} did not succeed", fmt::join(command, " ")));
}

Words as_root(Words command) {
  if (geteuid() != 0) command.insert(command.begin(), "sudo");
  return command;
}

// The lists of packages may be old, or not there at all.
void install_debian(const Words& packages) {
  auto command = as_root({"apt-get", "install", "-y", "--no-install-recommends", "--no-upgrade"});
  command.insert(command.end(), packages.begin(), packages.end());
  if (succeeds(command)) return;
  must_succeed(as_root({"apt-get", "update"}));
  must_succeed(command);
}

void install_npm(const faults::LockFile& lock) {
  const bool has_npm = faults::program_on_path("npm") && faults::program_on_path("node");
  if (!has_npm) install_debian({"nodejs", "npm"});
  must_succeed({"npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix",
                lock.directory.native()});
}

}  // namespace

void install(const faults::LockFile& lock) {
  if (lock.is_installed() && !lock.is_outdated()) return;
  if (!lock.debian.empty()) install_debian(lock.debian);
  if (lock.npm) install_npm(lock);
  if (!lock.program.empty()) {
    must_succeed({"cmake", "--build", LAB_BINARY_DIR, "--target", "lock_" + lock.name});
  }
  if (lock.is_installed()) return;
  throw faults::CannotRun(
      fmt::format("{} is still not installed: lock.json names other files", lock.name));
}

}  // namespace field
