// The process that this library was preloaded into, as it stands in the shared page.
//
// Thread-safety: safe to share.
#pragma once

#include <ctime>

#include "faults/explore/preload/page.h"

namespace explore {

// Does this process live in virtual time, and in which role? False in a process that was not given
// a place in a page, in the child of a fork, and while the program is still being loaded.
[[nodiscard]] bool is_client();
[[nodiscard]] bool is_server();
[[nodiscard]] bool is_participant();
// Is each wait of the calling thread counted, as in a client and in a participant?
[[nodiscard]] bool counts_waits();

// Its entry; only if it lives in virtual time.
[[nodiscard]] ProcessEntry& this_process();

// If this process is a template: serves until nobody asks any more, and ends. Returns in each
// process that it begins, and at once in all others.
void serve_as_template();

// The time by such a clock; a clock that is not one of virtual time's (of a thread's CPU use, say)
// is the kernel's.
[[nodiscard]] bool is_virtual(clockid_t clock);
[[nodiscard]] Instant time_by(clockid_t clock);

// Virtual time.
[[nodiscard]] Instant now();
// When that long is over; `no_limit` for longer than can be counted.
[[nodiscard]] Instant after(Instant duration);
// The moment at which `clock` shows that.
[[nodiscard]] Instant when(clockid_t clock, const timespec& shown);

[[nodiscard]] Instant duration_of(const timespec& time);
[[nodiscard]] timespec to_timespec(Instant duration);

// The thing that a thread waits for.
struct Wait {
  WaitsFor what = WaitsFor::time;
  Instant until = no_limit;
  std::uint64_t object = 0;
  int descriptor_count = ThreadEntry::any_descriptor;
  const int* descriptors = nullptr;
};

// The end of a wait.
enum class Woken : std::uint8_t {
  by_notice,  // somebody has done what may end it
  by_time,
  by_signal,  // a handler has run
};

// Does a call go on behind a handler that was installed with SA_RESTART (signal(7))? And was a
// handler installed so?
enum class Restarts : bool { no, yes };

[[nodiscard]] std::uint32_t generation();
// Puts the calling thread to rest until it is notified, its time has come, or a signal's handler
// has run. Returns at once if the generation is no longer `seen`: what it waits for may have come
// since the caller has looked.
[[nodiscard]] Woken rest(const Wait& wait, std::uint32_t seen, Restarts restarts);
// The same for a thread that holds what others need to wake it: it is put down as waiting, then
// calls `let_go`, then rests. It goes on waiting behind any handler.
[[nodiscard]] Woken rest_after(const Wait& wait, void (*let_go)(void*), void* argument);

// A signal's handler is about to run in the calling thread, which goes on if it waits: true then.
[[nodiscard]] bool stop_waiting();
// And it has run.
void note_interruption(Restarts restarts);

// Tells the keeper, if there is one, that something was written, closed or begun that somebody may
// wait for.
void note_activity();
// Tells it to ask the kernel: a signal is about to be sent, or a program about to begin.
void note_unsettled();

// To be called before each wait: the same for what lies in this process's standard output and
// standard error, as the C library writes there by itself.
void note_output();

// Wakes the threads of this process that wait for `object`, at most so many.
void notify_object(std::uint64_t object, std::size_t most);
// Wakes those that wait for that descriptor, or for any.
void notify_descriptor(int descriptor);
void notify_all_descriptors();

// A new thread is about to begin: from here on it has an entry, and counts as running. Called by
// its creator, which takes that back if there will be none.
[[nodiscard]] ThreadEntry* count_thread();
void uncount_thread(ThreadEntry* entry);
// Called by the new thread itself: its entry ends with it.
void enter_thread(ThreadEntry* entry);
// Returns when `thread` is about to end.
void rest_until_end_of(std::uint64_t thread);

// Says once, in the page, what this process does that virtual time does not know.
void refuse(const char* what);

}  // namespace explore
