// A process's entry in the shared page, as its threads and the explorer use it: its lock, and how
// threads that wait are woken.
//
// Thread-safety: safe to share, among processes too.
#pragma once

#include <sys/syscall.h>

#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/shared_page.h"

namespace explore {

// Holds the lock of an entry, for a few instructions. In a search a process is killed or stopped
// only while all of its threads wait, so it never ends with the lock held. A participant may; the
// keeper takes the lock of none but one that is at rest.
class ProcessEntryGuard {
 public:
  explicit ProcessEntryGuard(ProcessEntry& process) : lock_(process.lock) {
    for (int tries = 0; lock_.exchange(1, std::memory_order_acquire) != 0; ++tries) {
      if (tries > 100) (void)raw_syscall(SYS_sched_yield);
    }
  }
  ~ProcessEntryGuard() { lock_.store(0, std::memory_order_release); }
  ProcessEntryGuard(const ProcessEntryGuard&) = delete;
  ProcessEntryGuard& operator=(const ProcessEntryGuard&) = delete;

 private:
  std::atomic<std::uint32_t>& lock_;
};

// What a thread waits for.
struct Wait {
  WaitsFor what = WaitsFor::time;
  Instant until = no_limit;
  std::uint64_t object = 0;
  int descriptor_count = ThreadEntry::any_descriptor;
  const int* descriptors = nullptr;
};

// A free entry, for a thread that runs, or will: its `id` and `self` are 0. Null: there is none.
// Call with the lock held.
inline ThreadEntry* take_thread(ProcessEntry& process) {
  for (std::uint32_t i = 0; i < process.threads.size(); ++i) {
    auto& thread = process.threads[i];
    if (thread.state.load() != absent) continue;
    if (i >= process.threads_used.load()) process.threads_used.store(i + 1);
    thread.id.store(0);
    thread.self = 0;
    thread.until.store(no_limit);
    thread.state.store(running);
    return &thread;
  }
  return nullptr;
}

// Its program begins, with one thread, which has no entry yet.
inline void begin_program(ProcessEntry& process) {
  for (auto& thread : process.threads) thread.state.store(absent);
  process.threads_used.store(0);
  process.running.store(1);
}

// One thread less runs. True: no thread of the process does any more, but for those that sleep in
// the kernel; then the caller says so, without the lock. (With it, the explorer would wake up and
// find it taken.)
inline bool stop_running(ProcessEntry& process) {
  return process.running.fetch_sub(1) - 1 <= process.asleep.load();
}

// The thread waits from now on; it still counts as running. Call with the lock held.
inline void write_wait(ThreadEntry& thread, const Wait& wait) {
  thread.waits_for = wait.what;
  thread.until.store(wait.until);
  thread.object = wait.object;
  const bool fits = wait.descriptor_count <= ThreadEntry::most_descriptors;
  thread.descriptor_count = fits ? wait.descriptor_count : ThreadEntry::any_descriptor;
  for (int i = 0; i < thread.descriptor_count; ++i) {
    thread.descriptors[static_cast<std::size_t>(i)] = wait.descriptors[i];
  }
  thread.state.store(waiting);
}

// Ends a thread's wait; false: it does not wait. From now on it counts as running, however long it
// takes to get a CPU, so its process cannot be taken to be at rest. The caller then wakes it by
// futex_wake(thread.state). Needs no lock: a signal's handler calls it, which may have interrupted
// a thread that holds the lock.
inline bool end_wait(ProcessEntry& process, ThreadEntry& thread, bool by_time) {
  process.running.fetch_add(1);
  std::uint32_t expected = waiting;
  const auto woken = by_time ? woken_by_time : running;
  if (thread.state.compare_exchange_strong(expected, woken)) return true;
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
    const ProcessEntryGuard guard(process);
    process.generation.fetch_add(1);
    for (auto& thread : used_threads(process)) {
      if (count == most) break;
      if (thread.state.load() != waiting || !fits(thread)) continue;
      if (end_wait(process, thread, by_time)) woken[count++] = &thread;
    }
  }
  for (std::size_t i = 0; i < count; ++i) futex_wake(woken[i]->state);
}

// True if the thread waits for that descriptor, or for any.
inline bool waits_for(const ThreadEntry& thread, int descriptor) {
  if (thread.waits_for != WaitsFor::descriptors) return false;
  if (thread.descriptor_count == ThreadEntry::any_descriptor) return true;
  for (int i = 0; i < thread.descriptor_count; ++i) {
    if (thread.descriptors[static_cast<std::size_t>(i)] == descriptor) return true;
  }
  return false;
}

}  // namespace explore
