// A workspace's scripts, looked at by who will run them: one that cannot be read is an error
// like one of the compiler's, and not a story that breaks off.
#pragma once

#include <filesystem>
#include <optional>

#include "faults/kit/reaper.h"
#include "faults/kit/redis_binary.h"
#include "tools/learning/workspace/build.h"

namespace learning {

// Asks a server of its own to read each *.lua in `workspace`, and returns what it says of the
// first that it cannot read. What is wrong only when it runs is seen when it does. Throws
// CannotRun.
[[nodiscard]] std::optional<Built> first_error_in_scripts(const std::filesystem::path& workspace,
                                                          const faults::RedisBinary& redis,
                                                          faults::Reaper& reaper);

// The same from what the server said of the file `name`, apart for tests. `text` is its content.
[[nodiscard]] Built script_error(const std::string& name, const std::string& text,
                                 const std::string& said);

}  // namespace learning
