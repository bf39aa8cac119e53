#include "faults/explore/shim/program_file.h"

#include <cstring>
#include <fstream>

namespace explore {
namespace {

#if defined(__x86_64__)
constexpr unsigned own_machine = EM_X86_64;
#else
constexpr unsigned own_machine = EM_AARCH64;
#endif

template <typename T>
bool read_at(std::ifstream& file, std::uint64_t place, T* into, std::size_t bytes) {
  file.seekg(static_cast<std::streamoff>(place));
  return static_cast<bool>(
      file.read(reinterpret_cast<char*>(into), static_cast<std::streamsize>(bytes)));
}

bool is_of_this_machine(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == own_machine &&
         header.e_phentsize == sizeof(Elf64_Phdr);
}

// The linker of Go leaves a note of that name, with the build's number
// (https://go.dev/src/cmd/link/internal/ld/elf.go, ELF_NOTE_BUILDID).
bool has_note_of_go(std::ifstream& file, const Elf64_Phdr& notes) {
  constexpr std::uint32_t go_build = 4;
  std::uint64_t at = 0;
  const auto padded = [](std::uint32_t size) { return (std::uint64_t{size} + 3U) & ~3ULL; };
  while (at + sizeof(Elf64_Nhdr) <= notes.p_filesz) {
    Elf64_Nhdr note{};
    char name[4] = {};
    if (!read_at(file, notes.p_offset + at, &note, sizeof note)) return false;
    const bool is_short = note.n_namesz == sizeof name;
    at += sizeof note;
    if (is_short && !read_at(file, notes.p_offset + at, name, sizeof name)) return false;
    if (is_short && note.n_type == go_build && std::memcmp(name, "Go\0", sizeof name) == 0) {
      return true;
    }
    at += padded(note.n_namesz) + padded(note.n_descsz);
  }
  return false;
}

}  // namespace

std::optional<ProgramFile> read_program(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  ProgramFile program;
  auto& header = program.header;
  if (!read_at(file, 0, &header, sizeof header) || !is_of_this_machine(header)) return {};
  program.segments.resize(header.e_phnum);
  const auto size = program.segments.size() * sizeof(Elf64_Phdr);
  if (!read_at(file, header.e_phoff, program.segments.data(), size)) return {};
  for (const auto& segment : program.segments) {
    if (segment.p_type == PT_INTERP) {
      program.interpreter.resize(segment.p_filesz);
      (void)read_at(file, segment.p_offset, program.interpreter.data(), segment.p_filesz);
      program.interpreter.resize(std::strlen(program.interpreter.c_str()));
    }
    if (segment.p_type == PT_NOTE && has_note_of_go(file, segment)) program.is_go = true;
  }
  return program;
}

bool makes_own_calls(const ProgramFile& program) {
  return program.is_go || program.interpreter.empty();
}

}  // namespace explore
