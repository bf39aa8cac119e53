// The lock of a process's entries in the page, taken by its threads and by the explorer.
//
// It is held for a few instructions. In a search a process is killed or stopped only while all of
// its threads wait, so it never ends with the lock in its hand. A participant may; the keeper takes
// the lock of none but one that is at rest.
#pragma once

#include <sys/syscall.h>

#include "faults/explore/preload/page.h"
#include "faults/explore/preload/raw_syscall.h"

namespace explore {

class EntryLock {
 public:
  explicit EntryLock(ProcessEntry& process) : lock_(process.lock) {
    for (int tries = 0; lock_.exchange(1, std::memory_order_acquire) != 0; ++tries) {
      if (tries > 100) (void)raw_syscall(SYS_sched_yield);
    }
  }
  ~EntryLock() { lock_.store(0, std::memory_order_release); }
  EntryLock(const EntryLock&) = delete;
  EntryLock& operator=(const EntryLock&) = delete;

 private:
  std::atomic<std::uint32_t>& lock_;
};

// Has a thread go on, if it waits. From now on it counts as running, however long it takes to get a
// CPU: so nobody can take its process to be at rest. Needs no lock, since a signal's handler does
// it too, which may have interrupted one that holds it. The caller wakes the thread by
// futex_wake(thread.state) behind that.
inline bool set_going(ProcessEntry& process, ThreadEntry& thread, bool by_time) {
  process.running.fetch_add(1);
  std::uint32_t expected = waiting;
  const auto going = by_time ? woken_by_time : running;
  if (thread.state.compare_exchange_strong(expected, going)) return true;
  process.running.fetch_sub(1);
  return false;
}

// Wakes every waiting thread of which `fits` is true, and counts that as one generation.
template <typename Fits>
void notify(ProcessEntry& process, Fits fits, std::size_t most = ProcessEntry::most_threads,
            bool by_time = false) {
  std::array<ThreadEntry*, ProcessEntry::most_threads> woken{};
  std::size_t count = 0;
  {
    const EntryLock guard(process);
    process.generation.fetch_add(1);
    for (auto& thread : process.threads) {
      if (count == most) break;
      if (thread.state.load() != waiting || !fits(thread)) continue;
      if (set_going(process, thread, by_time)) woken[count++] = &thread;
    }
  }
  for (std::size_t i = 0; i < count; ++i) futex_wake(woken[i]->state);
}

// Does it wait for that descriptor?
inline bool waits_for(const ThreadEntry& thread, int descriptor) {
  if (thread.waits_for != WaitsFor::descriptors) return false;
  if (thread.descriptor_count == ThreadEntry::any_descriptor) return true;
  for (int i = 0; i < thread.descriptor_count; ++i) {
    if (thread.descriptors[static_cast<std::size_t>(i)] == descriptor) return true;
  }
  return false;
}

}  // namespace explore
