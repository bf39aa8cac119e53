#include "faults/explore/virtual_time/virtual_time.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "faults/kit/descriptor.h"
#include "faults/kit/errors.h"
#include "faults/kit/preload.h"

namespace explore {

static_assert(faults::virtual_time_variable == page_variable);

VirtualTime::VirtualTime(const std::filesystem::path& directory)
    : file_(directory / "virtual-time") {
  constexpr auto size = sizeof(SharedPage);
  const faults::Descriptor file(open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  void* memory = MAP_FAILED;
  if (file.get() >= 0) errno = posix_fallocate(file.get(), 0, size);
  if (file.get() >= 0 && errno == 0) {
    memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  }
  if (memory == MAP_FAILED) {
    throw faults::CannotRun(fmt::format("cannot make {}: {}; point TMPDIR at a place with room",
                                        file_.native(), std::strerror(errno)));
  }
  page_ = static_cast<SharedPage*>(memory);  // of zeros: an empty page
}

VirtualTime::~VirtualTime() {
  munmap(page_, sizeof(SharedPage));
}

Duration VirtualTime::now() const {
  return Duration(page_->now.load());
}

void VirtualTime::advance_to(Duration time) {
  if (time > now()) page_->now.store(time.count());
}

std::map<std::string, std::string> VirtualTime::environment() const {
  auto variables = faults::preload(LAB_VIRTUAL_TIME_PRELOAD);
  variables.emplace(page_variable, file_.native());
  return variables;
}

std::map<std::string, std::string> VirtualTime::environment(std::size_t slot) const {
  auto variables = environment();
  variables.emplace(slot_variable, std::to_string(slot));
  return variables;
}

std::size_t VirtualTime::take_slot() {
  const auto found = std::find(taken_.begin(), taken_.end(), false);
  if (found == taken_.end()) {
    throw faults::CannotRun(
        fmt::format("virtual time has room for {} processes", SharedPage::most_processes));
  }
  *found = true;
  return static_cast<std::size_t>(found - taken_.begin());
}

void VirtualTime::give_back(std::size_t slot) {
  taken_.at(slot) = false;
}

}  // namespace explore
