#include "faults/kit/clock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "faults/kit/descriptor.h"
#include "faults/kit/errors.h"
#include "faults/kit/preload.h"

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

// Virtual time brings clocks of its own, and adds this offset to them (faults/explore/preload).
std::map<std::string, std::string> Clock::environment() const {
  auto variables = preload(LAB_CLOCK_PRELOAD);
  variables.emplace("LAB_CLOCK", file_.native());
  return variables;
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
