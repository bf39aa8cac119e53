#include "faults/explore/shim/load_program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace explore::shim {
namespace {

constexpr std::uint64_t page_size = 4'096;

std::uint64_t down(std::uint64_t address) {
  return address & ~(page_size - 1);
}

std::uint64_t up(std::uint64_t address) {
  return down(address + page_size - 1);
}

int protection_of(const Elf64_Phdr& segment) {
  return ((segment.p_flags & PF_R) != 0 ? PROT_READ : 0) |
         ((segment.p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
         ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
}

void* pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

class Image {
 public:
  explicit Image(const std::string& path) : path_(path) {
    auto found = read_program(path);
    if (!found) give_up(path + " is no program of this machine's");
    program_ = std::move(*found);
  }

  void map() {
    reserve();
    const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    for (const auto& segment : program_.segments) {
      if (segment.p_type == PT_LOAD) map_segment(file, segment);
    }
    close(file);
  }

  [[nodiscard]] const ProgramFile& program() const { return program_; }
  [[nodiscard]] std::uint64_t base() const { return base_; }
  [[nodiscard]] std::uint64_t entry() const { return base_ + program_.header.e_entry; }
  [[nodiscard]] std::uint64_t headers() const {
    const auto at = program_.header.e_phoff;
    for (const auto& segment : program_.segments) {
      const bool has_them = segment.p_type == PT_LOAD && segment.p_offset <= at &&
                            at < segment.p_offset + segment.p_filesz;
      if (has_them) return base_ + segment.p_vaddr + at - segment.p_offset;
    }
    return 0;
  }

 private:
  // Takes all addresses of it at one time: they belong together.
  void reserve() {
    auto first = ~std::uint64_t{0};
    std::uint64_t end = 0;
    for (const auto& segment : program_.segments) {
      if (segment.p_type != PT_LOAD) continue;
      first = std::min(first, down(segment.p_vaddr));
      end = std::max(end, up(segment.p_vaddr + segment.p_memsz));
    }
    const bool is_fixed = program_.header.e_type == ET_EXEC;
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    const auto* taken = mmap(is_fixed ? pointer(first) : nullptr, end - first, PROT_NONE,
                             flags | (is_fixed ? MAP_FIXED_NOREPLACE : 0), -1, 0);
    if (taken == MAP_FAILED) give_up(path_ + ": its addresses are taken");
    base_ = reinterpret_cast<std::uint64_t>(taken) - first;
  }

  void map_segment(int file, const Elf64_Phdr& segment) const {
    const auto begin = base_ + segment.p_vaddr;
    const auto end_of_file = begin + segment.p_filesz;
    const auto end = begin + segment.p_memsz;
    if (segment.p_filesz > 0) {
      const auto before = begin - down(begin);
      const auto* mapped =
          mmap(pointer(down(begin)), segment.p_filesz + before, protection_of(segment),
               MAP_PRIVATE | MAP_FIXED, file, static_cast<off_t>(segment.p_offset - before));
      if (mapped == MAP_FAILED) give_up(path_ + " cannot be mapped");
    }
    if (end == end_of_file) return;
    if (segment.p_filesz > 0 && (segment.p_flags & PF_W) != 0) {
      // To the end of the page: a program's loader takes its first memory from there.
      std::memset(pointer(end_of_file), 0, up(end_of_file) - end_of_file);
    }
    const auto zeros = segment.p_filesz > 0 ? up(end_of_file) : down(begin);
    if (zeros >= up(end)) return;
    const auto* mapped = mmap(pointer(zeros), up(end) - zeros, protection_of(segment),
                              MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) give_up(path_ + ": there is no memory for it");
  }

  const std::string path_;
  ProgramFile program_;
  std::uint64_t base_ = 0;
};

}  // namespace

LoadedProgram load_program(const std::string& path) {
  Image image(path);
  image.map();
  LoadedProgram loaded{.start = image.entry(),
                       .entry = image.entry(),
                       .headers = image.headers(),
                       .header_count = image.program().header.e_phnum,
                       .interpreter_base = 0};
  if (image.program().interpreter.empty()) return loaded;
  Image interpreter(image.program().interpreter);
  interpreter.map();
  loaded.interpreter_base = interpreter.base();
  loaded.start = interpreter.entry();
  return loaded;
}

void give_up(const std::string& what) {
  std::fprintf(stderr, "lab: %s\n", what.c_str());
  _exit(127);
}

}  // namespace explore::shim
