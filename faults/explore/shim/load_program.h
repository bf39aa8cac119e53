// Loads a program beside this one, as execve(2) would in its place.
//
// Thread-safety: none; one thread.
#pragma once

#include <cstdint>
#include <string>

#include "faults/explore/shim/program_file.h"

namespace explore::shim {

// What its first instructions find in the auxiliary vector (getauxval(3)).
struct LoadedProgram {
  std::uint64_t start;             // where it begins: in its interpreter, if it has one
  std::uint64_t entry;             // AT_ENTRY
  std::uint64_t headers;           // AT_PHDR
  std::uint64_t header_count;      // AT_PHNUM
  std::uint64_t interpreter_base;  // AT_BASE
};

// Ends this process with a sentence if it cannot be loaded.
[[nodiscard]] LoadedProgram load_program(const std::string& path);

// For a program that cannot be started.
[[noreturn]] void give_up(const std::string& what);

}  // namespace explore::shim
