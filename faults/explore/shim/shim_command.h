// Programs that the shim has to start (shim_main.cpp), since they make their system calls without
// the C library: those of Go, and those that are linked statically.
//
// Thread-safety: pure functions.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace explore {

// The command, begun by the shim if its program needs that. Throws CannotRun where there is no
// shim: on another processor than x86-64.
[[nodiscard]] std::vector<std::string> through_shim(std::vector<std::string> command);

// True if that file is the shim, wherever it lies.
[[nodiscard]] bool names_shim(const std::filesystem::path& program);

}  // namespace explore
