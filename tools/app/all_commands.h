// The whole command line of the program.
#pragma once

#include <vector>

#include "tools/app/commands.h"

namespace app {

// Adds every command to `lab`, in the order of the help; the first is run if none is called. The
// results keep a reference to `shared`.
[[nodiscard]] std::vector<Command> add_commands(CLI::App& lab, Shared& shared);

}  // namespace app
