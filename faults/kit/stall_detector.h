// Notices when the machine stalls, or is so busy that it has the same effect.
//
// A thread wakes up every few milliseconds. When it wakes up far too late, so may have every other
// thread, a watchdog included: that goes into the history, and the judge does not blame a lock for
// what may have been the machine. Every tenth of a second it also looks at the processes and
// threads of the scenario: for how long the unluckiest thread of a process was ready to run since
// then, and had no CPU to run on. (A process that a fault has stopped is not ready.) And it goes
// from CPU to CPU: in a virtual machine one can stall for a minute while the others run.
//
// Thread-safety: safe to share; start and stop it from one thread.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>

#include "faults/kit/cpu_waits.h"
#include "faults/kit/history.h"

namespace faults {

class StallDetector {
 public:
  enum class Looks {
    at_cpus,
    at_time,  // only how late it wakes up itself: processes may wait for a CPU as long as they like
  };

  // Between `start` and `stop` (or its end) it writes into `history` each time that it woke up more
  // than `tolerable` too late, or a process or thread had to wait for longer than that between two
  // looks, or one CPU let it wait for half a second.
  StallDetector(History& history, std::chrono::milliseconds tolerable, Looks looks = Looks::at_cpus)
      : history_(history), tolerable_(tolerable), looks_(looks) {}

  void start();
  void stop();

  // Looks at that process too, until it has ended: then its number may be given to another.
  void watch(pid_t process);
  // Looks at the calling thread too.
  void watch_this_thread();
  // Looks now, and not only the next time: before watched processes end.
  void look();

  // Has it woken up since the last call? If not, perhaps no process has run either: to wait for a
  // process, count only the time in which the machine went on.
  [[nodiscard]] bool has_ticked() { return ticked_.exchange(false); }

 private:
  void run(const std::stop_token& stop);
  // Writes it down if it is more than is tolerable.
  void note(std::chrono::milliseconds worst);
  void watch(pid_t number, CpuWaits waits);
  // The longest that any of them has waited since the last time.
  [[nodiscard]] std::chrono::milliseconds longest_wait();

  History& history_;
  const std::chrono::milliseconds tolerable_;
  const Looks looks_;
  std::atomic<bool> ticked_ = false;
  std::mutex mutex_;
  std::map<pid_t, CpuWaits> watched_;  // by process or thread; guarded by mutex_
  std::jthread thread_;
};

}  // namespace faults
