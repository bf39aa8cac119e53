// Client and server on one CPU, for as long as this lives.
//
// Unpinned, on an idle machine, most of a round trip is the time that a sleeping CPU takes to wake
// up, and runs fall into two groups, by where the scheduler put client and server. On one CPU
// nothing has to wake up, and the cost of the code is left. Thread-safety: pins the thread that
// makes it, and the threads and processes that it starts meanwhile.
#pragma once

#include <sched.h>
#include <sys/types.h>

namespace bench {

class CpuPinning {
 public:
  // Pins the calling thread, and so the processes that it starts from now on. Throws
  // faults::CannotRun.
  CpuPinning();
  // Pins `server`'s main thread, too.
  explicit CpuPinning(pid_t server);
  ~CpuPinning();
  CpuPinning(const CpuPinning&) = delete;
  CpuPinning& operator=(const CpuPinning&) = delete;

 private:
  cpu_set_t before_{};
  cpu_set_t one_{};
};

}  // namespace bench
