// Runs the installers of this system for a person, who sees each command and what it says, on
// standard error.
//
// Thread-safety: none; call it from one thread.
#pragma once

#include <string>
#include <vector>

namespace terminal {

// Runs a program, found on the PATH. False: it did not succeed. Throws CannotRun if it cannot be
// started.
[[nodiscard]] bool succeeds(const std::vector<std::string>& command);
// Throws CannotRun, with the command, if it does not succeed.
void must_succeed(const std::vector<std::string>& command);

// Installs packages of Debian's, as root or by sudo. Throws CannotRun.
void install_debian(const std::vector<std::string>& packages);
// Installs pip, unless Python has it. Throws CannotRun.
void need_pip();

}  // namespace terminal
