#include "explore/virtual_time/virtual_time.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "faults/kit/descriptor.h"
#include "faults/kit/errors.h"

namespace explore {

VirtualTime::VirtualTime(const std::filesystem::path& directory)
    : file_(directory / "virtual-time") {
  constexpr auto size = sizeof(Page);
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
  page_ = static_cast<Page*>(memory);  // of zeros: an empty page
}

VirtualTime::~VirtualTime() {
  munmap(page_, sizeof(Page));
}

Duration VirtualTime::now() const {
  return Duration(page_->now.load());
}

void VirtualTime::go_on_to(Duration time) {
  if (time > now()) page_->now.store(time.count());
}

// LD_PRELOAD is taken apart at spaces, which a path may have; the directories of LD_LIBRARY_PATH
// are not (ld.so(8)).
std::map<std::string, std::string> VirtualTime::environment() const {
  const std::filesystem::path library(LAB_VIRTUAL_TIME_PRELOAD);
  const char* others = std::getenv("LD_LIBRARY_PATH");
  const bool alone = others == nullptr || *others == '\0';
  const auto directory = library.parent_path().native();
  return {{"LD_PRELOAD", library.filename().native()},
          {"LD_LIBRARY_PATH", alone ? directory : fmt::format("{}:{}", directory, others)},
          {page_variable, file_.native()}};
}

std::map<std::string, std::string> VirtualTime::environment(std::size_t place) const {
  auto variables = environment();
  variables.emplace(place_variable, std::to_string(place));
  return variables;
}

std::size_t VirtualTime::take_place() {
  const auto found = std::find(taken_.begin(), taken_.end(), false);
  if (found == taken_.end()) {
    throw faults::CannotRun(
        fmt::format("virtual time has room for {} processes", Page::most_processes));
  }
  *found = true;
  return static_cast<std::size_t>(found - taken_.begin());
}

void VirtualTime::give_back(std::size_t place) {
  taken_.at(place) = false;
}

}  // namespace explore
