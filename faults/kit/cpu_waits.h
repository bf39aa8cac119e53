// How long the threads of another process, or the calling one, have been ready to run, and had no
// CPU to run on.
//
// Read from /proc/PID/task/TID/schedstat (https://docs.kernel.org/scheduler/sched-stats.html). Each
// of these files is kept open: of a file that was read and closed the kernel keeps the name, and
// clears it away when the thread ends. When all threads of a process end together, a thread that
// waits for the process spins until every one of them has had a CPU to do that: up to a second was
// seen.
//
// Thread-safety: none; one thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>

#include "faults/kit/descriptor.h"

namespace faults {

class CpuWaits {
 public:
  explicit CpuWaits(pid_t process);
  // Looks at the calling thread alone.
  [[nodiscard]] static CpuWaits of_this_thread();

  // The longest that one thread has waited since the last call, or since the object was made. They
  // are not added up: each of seventy may have waited for the same stall to end. 0 if the process
  // is gone, or the kernel keeps no such count.
  [[nodiscard]] std::chrono::nanoseconds longest_since();
  // Was there a thread when that was asked last?
  [[nodiscard]] bool found_any() const { return !known_.empty(); }

 private:
  CpuWaits() = default;

  // Opens what is new, and closes what has ended.
  void follow_threads();

  struct Thread {
    Descriptor file;
    std::chrono::nanoseconds before{0};  // had it waited when that was asked last
  };

  std::filesystem::path threads_;  // empty: of one thread
  std::map<std::filesystem::path, Thread> known_;
};

}  // namespace faults
