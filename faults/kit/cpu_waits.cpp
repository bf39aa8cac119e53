#include "faults/kit/cpu_waits.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace faults {
namespace {

using std::chrono::nanoseconds;
namespace fs = std::filesystem;

// The second of the file's numbers; 0 if the thread has ended.
nanoseconds waited_according_to(const Descriptor& schedstat) {
  std::array<char, 128> text{};
  const auto size = pread(schedstat.get(), text.data(), text.size(), 0);
  if (size <= 0) return nanoseconds(0);
  std::istringstream numbers(std::string(text.data(), static_cast<std::size_t>(size)));
  long long ran = 0;
  long long ready = 0;
  return nanoseconds(numbers >> ran >> ready ? ready : 0);
}

Descriptor open_schedstat_of(const fs::path& thread) {
  return Descriptor(open((thread / "schedstat").c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

CpuWaits::CpuWaits(pid_t process) : threads_(fmt::format("/proc/{}/task", process)) {
  (void)longest_since();
}

CpuWaits CpuWaits::of_this_thread() {
  const fs::path thread = "/proc/thread-self";
  CpuWaits waits;
  waits.known_.emplace(thread, Thread{.file = open_schedstat_of(thread)});
  (void)waits.longest_since();
  return waits;
}

nanoseconds CpuWaits::longest_since() {
  follow_threads();
  nanoseconds longest{0};
  for (auto& [path, thread] : known_) {
    const auto now = waited_according_to(thread.file);
    longest = std::max(longest, now - std::exchange(thread.before, now));
  }
  return longest;
}

void CpuWaits::follow_threads() {
  if (threads_.empty()) return;
  std::map<fs::path, Thread> there;
  std::error_code gone;
  for (const auto& thread : fs::directory_iterator(threads_, gone)) {
    if (auto known = known_.extract(thread.path())) {
      there.insert(std::move(known));
    } else {
      there.emplace(thread.path(), Thread{.file = open_schedstat_of(thread.path())});
    }
  }
  known_ = std::move(there);
}

}  // namespace faults
