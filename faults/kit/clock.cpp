#include "faults/kit/clock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "faults/kit/descriptor.h"
#include "faults/kit/errors.h"

namespace faults {

Clock::Clock(const std::filesystem::path& directory) : file_(directory / "clock") {
  constexpr auto size = sizeof *offset_;
  // With its room on the disk: where that is full, a page of a file without it kills the server.
  const Descriptor file(open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  void* memory = MAP_FAILED;
  if (file.get() >= 0) errno = posix_fallocate(file.get(), 0, size);
  if (file.get() >= 0 && errno == 0) {
    memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  }
  if (memory == MAP_FAILED) {
    throw CannotRun(fmt::format("cannot make {}: {}; point TMPDIR at a place with room",
                                file_.native(), std::strerror(errno)));
  }
  offset_ = static_cast<std::int64_t*>(memory);
}

Clock::~Clock() {
  munmap(offset_, sizeof *offset_);
}

namespace {

// The list in that variable, with one more behind it.
std::string with(const char* variable, const std::string& another) {
  const char* others = std::getenv(variable);
  const bool alone = others == nullptr || *others == '\0';
  return alone ? another : fmt::format("{}:{}", others, another);
}

}  // namespace

// LD_PRELOAD is taken apart at spaces, which a path may have; the directories of LD_LIBRARY_PATH
// are not (ld.so(8)). Behind what is preloaded already: virtual time brings clocks of its own, and
// adds this offset to them (explore/preload).
std::map<std::string, std::string> Clock::environment() const {
  const std::filesystem::path library(LAB_CLOCK_PRELOAD);
  return {{"LD_PRELOAD", with("LD_PRELOAD", library.filename().native())},
          {"LD_LIBRARY_PATH", with("LD_LIBRARY_PATH", library.parent_path().native())},
          {"LAB_CLOCK", file_.native()}};
}

void Clock::step(std::chrono::milliseconds by) {
  std::atomic_ref(*offset_) += std::chrono::nanoseconds(by).count();
}

std::chrono::nanoseconds Clock::offset() const {
  return std::chrono::nanoseconds(std::atomic_ref(*offset_).load());
}

bool lives_by_a_clock(pid_t process) {
  const auto library = std::filesystem::path(LAB_CLOCK_PRELOAD).filename().native();
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with("/" + library)) return true;
  }
  return false;
}

}  // namespace faults
