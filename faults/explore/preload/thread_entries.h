// The entries of this process's threads in the shared page, and how many of them run.
//
// Thread-safety: safe to share.
#pragma once

#include <cstdint>

#include "faults/explore/preload/shared_page.h"

namespace explore {

// The calling thread's entry; null: its waits are not counted.
[[nodiscard]] ThreadEntry* this_thread();

// The first thread of a process that enters virtual time.
void enter_first_thread();
// After a fork, in a child without a slot: its thread has no entry.
void forget_thread();

// A new thread is about to begin: from here on it has an entry, and counts as running. Called by
// its creator, which takes that back if there will be none. Null: there are too many.
[[nodiscard]] ThreadEntry* count_thread();
void uncount_thread(ThreadEntry* entry);
// Called by the new thread itself; returns when it is its turn. Its entry ends with it.
void enter_thread(ThreadEntry* entry);

// True if `thread`, a pthread_t, has not ended. Call with the lock of the entries held.
[[nodiscard]] bool is_alive(std::uint64_t thread);

// What has to be said when a thread has stopped.
struct Stop {
  ThreadEntry* next = nullptr;  // whose turn it is now
  bool all_rest = false;        // no thread runs any more (`stop_running` in process_entry.h)
};

// `thread`, the calling one, waits or has ended, as its entry says. Call with the lock of the
// entries held, and `announce` it without.
[[nodiscard]] Stop stop(const ThreadEntry& thread);
void announce(const Stop& stop);

}  // namespace explore
