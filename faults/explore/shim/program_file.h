// A program's file (ELF, elf(5)): how it is linked, and whether Go has made it.
//
// Thread-safety: pure functions.
#pragma once

#include <elf.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace explore {

struct ProgramFile {
  Elf64_Ehdr header{};
  std::vector<Elf64_Phdr> segments;
  std::string interpreter;  // that loads its libraries; empty: it is linked statically
  bool is_go = false;
};

// Nothing: it is no program of this machine's, but a script, say.
[[nodiscard]] std::optional<ProgramFile> read_program(const std::filesystem::path& file);

// True if the program makes its system calls without the C library: then virtual time has to trap
// them.
[[nodiscard]] bool makes_own_calls(const ProgramFile& program);

}  // namespace explore
