// The monitor of Go's runtime (sysmon in https://go.dev/src/runtime/proc.go): a thread that sleeps
// for microseconds at a time, and takes the processor away from a thread that blocks in the kernel.
//
// Its sleeps are no deadlines, and it must not run beside the others: what it finds would differ
// from run to run. So it has some turns whenever all others wait, and only then the process is at
// rest.
//
// Thread-safety: each function is called with the lock of the process's entry held, unless it says
// otherwise.
#pragma once

#include <cstdint>

#include "faults/explore/preload/shared_page.h"

namespace explore::shim {

class GoMonitor {
 public:
  // True if `thread` is the monitor, or shows itself to be, by its first such sleep. Without the
  // lock.
  [[nodiscard]] bool is(const ThreadEntry& thread) const { return &thread == entry_; }
  [[nodiscard]] bool knows() const { return entry_ != nullptr; }
  // It sleeps for a moment. Without the lock.
  void sleep(ThreadEntry& thread);
  // A thread is about to wake those that wait for `object`. True: that is the monitor alone, which
  // gets its turns later. Without the lock.
  [[nodiscard]] bool is_woken_by(std::uint64_t object);
  // `thread` has stopped. Not null: the monitor counts as running in its place, and is to be woken.
  [[nodiscard]] ThreadEntry* runs_instead_of(const ThreadEntry& thread);

 private:
  enum class Wish : std::uint8_t { none, wants_turns, had_turns };

  ThreadEntry* entry_ = nullptr;
  Wish wish_ = Wish::none;
  int count_ = 0;
};

extern GoMonitor monitor;

}  // namespace explore::shim
