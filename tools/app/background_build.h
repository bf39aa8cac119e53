// The build that the script ./lab goes on with behind the tour.
#pragma once

#include <filesystem>

#include "tools/terminal/language.h"

namespace app {

// Waits until `program` is built, and says on standard error for what it waits, with a clock.
// Returns at once if it is there, or nothing is being built. Throws CannotRun if the build has
// ended without it.
void wait_until_built(const std::filesystem::path& program,
                      const terminal::Language& language = {});

}  // namespace app
