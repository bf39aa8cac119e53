#include "faults/kit/clock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "faults/kit/descriptor.h"
#include "faults/kit/errors.h"
#include "faults/kit/preload.h"

namespace faults {

Clock::Clock(const std::filesystem::path& directory) : file_(directory / "clock") {
  constexpr auto size = sizeof *shared_;
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
  shared_ = static_cast<ClockFile*>(memory);
}

Clock::~Clock() {
  munmap(shared_, sizeof *shared_);
}

// Virtual time brings clocks of its own, and adds this offset to them (faults/explore/preload).
std::map<std::string, std::string> Clock::environment() const {
  auto variables = preload(LAB_CLOCK_PRELOAD);
  variables.emplace("LAB_CLOCK", file_.native());
  return variables;
}

void Clock::step(std::chrono::milliseconds by) {
  shared_->offset += std::chrono::nanoseconds(by).count();
}

std::chrono::nanoseconds Clock::offset() const {
  return std::chrono::nanoseconds(shared_->offset.load());
}

bool Clock::is_read() const {
  return shared_->is_read;
}

}  // namespace faults
