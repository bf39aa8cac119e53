// Hands over to another program of the lab, which speaks English.
//
// Thread-safety: none; one thread.
#pragma once

#include <string>
#include <vector>

#include "tools/terminal/language.h"

namespace terminal {

// In English, replaces this process. In another language, runs the program, shows each line that it
// writes in that language, and returns its exit code, as a shell has it. Throws CannotRun: it
// cannot be started.
int run_program(std::vector<std::string> command, const Language& language);

}  // namespace terminal
