// The program that the shim was put into, and its waits.
//
// All of this runs in the handler of SIGSYS, on a stack of the program's, with all other signals
// blocked. It uses neither the C library nor memory of a thread's own: both are the program's.
//
// Thread-safety: safe to share.
#pragma once

#include <cstdint>

#include "faults/explore/preload/clock_arithmetic.h"
#include "faults/explore/preload/process_entry.h"
#include "faults/kit/clock_file.h"

namespace explore::shim {

struct Process {
  SharedPage* page = nullptr;
  ProcessEntry* entry = nullptr;
  const char* sockets = nullptr;  // the beginning of their paths; null: its sockets are real
  faults::ClockFile* stepped_clock = nullptr;  // a wall clock that is stepped while it runs
  bool is_go = false;
};

// Written once, before the program begins.
extern Process process;

[[nodiscard]] Instant now();
[[nodiscard]] Instant after(Instant duration);
[[nodiscard]] Instant after(const timespec* duration);  // null: `no_limit`
[[nodiscard]] Instant after_ms(long ms);                // below 0: `no_limit`

// What `clock` shows when virtual time is 0.
[[nodiscard]] Instant shown_at_start(clockid_t clock);
// What `clock` shows, for a thread that does not wait.
[[nodiscard]] Instant time_by(clockid_t clock);

// The calling thread's entry.
[[nodiscard]] ThreadEntry& this_thread();
// A new thread is about to begin: from here on it counts as running. Null: there are too many.
[[nodiscard]] ThreadEntry* count_thread();
// Called by the new thread itself; returns when it is its turn.
void begin_thread(ThreadEntry* mine);

// What has to be said when a thread has stopped: whose turn it is now, and whether all rest.
struct Stop {
  ThreadEntry* next = nullptr;
  bool all_rest = false;
};

// `thread`, which has the turn, waits or has ended, as its entry says. Call with the lock of the
// process's entry held, and `announce` it without.
[[nodiscard]] Stop stop(const ThreadEntry& thread);
void announce(const Stop& stop);
// Returns when the wait of the calling thread has ended, and it is its turn.
void await_wake(ThreadEntry& thread);

enum class Woken : std::uint8_t { by_notice, by_time };

// The calling thread rests, unless the generation is no longer `seen`.
[[nodiscard]] Woken rest(const Wait& wait, std::uint32_t seen);
// The calling thread is about to end.
void leave(ThreadEntry& thread);

// True if a signal has come for the program. Its handler runs when a call that the kernel has
// handed over is answered: until then signals are blocked.
[[nodiscard]] bool has_signal();

// Calls `look`, which does not wait, until it finds something or `wait` has ended; returns what it
// has found, or -EINTR if a signal has come.
template <typename Look>
long rest_until_found(const Wait& wait, Look look) {
  for (;;) {
    const auto seen = process.entry->generation.load();
    const long found = look();
    if (found != 0 || now() >= wait.until) return found;
    if (has_signal()) return -EINTR;
    (void)rest(wait, seen);
  }
}

// A participant has done what may let a descriptor of another process be read or written.
void note_activity();

void notify_object(std::uint64_t object, std::size_t most);
void notify_all_descriptors();

// Writes once, into the page, what this process does that virtual time does not know.
void refuse(const char* what);
void refuse_call(long number);

}  // namespace explore::shim
