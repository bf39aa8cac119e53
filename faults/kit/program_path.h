// Programs on the PATH.
//
// Thread-safety: as getenv(3).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace faults {

// The program that a shell would start by that name; nothing if there is none.
[[nodiscard]] std::optional<std::filesystem::path> program_on_path(const std::string& name);

}  // namespace faults
