// The process that this library was preloaded into, as it stands in the shared page.
//
// Thread-safety: safe to share.
#pragma once

#include <ctime>

#include "explore/preload/page.h"

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

[[nodiscard]] std::uint32_t generation();
// Puts the calling thread to rest until it is notified, or its time has come: true if it was
// notified. Returns at once if the generation is no longer `seen`: what it waits for may have come
// since the caller has looked.
bool rest(const Wait& wait, std::uint32_t seen);
// The same for a thread that holds what others need to wake it: it is put down as waiting, then
// calls `let_go`, then rests.
bool rest_after(const Wait& wait, void (*let_go)(void*), void* argument);

// True once if a signal has ended the calling thread's last rest: a wait for descriptors fails then
// with EINTR.
[[nodiscard]] bool was_interrupted();

// Tells the keeper, if there is one, that something was written, closed or begun that somebody may
// wait for.
void note_activity();

// To be called before each wait: the same for what lies in this process's standard output, as the C
// library writes there by itself.
void note_output();

// Wakes the threads of this process that wait for `object`, at most so many.
void notify_object(std::uint64_t object, std::size_t most);
// Wakes those that wait for that descriptor, or for any.
void notify_descriptor(int descriptor);
void notify_all_descriptors();

// A new thread is about to begin: it counts as running from here on. Called by its creator, which
// takes it back if there will be none.
void count_thread();
void uncount_thread();
// Called by the new thread itself: its entry ends with it.
void enter_thread();
// Waits for the end of `thread`, which `join` does.
int rest_until_end_of(std::uint64_t thread, int (*join)(void*), void* argument);

// Says once, in the page, what this process does that virtual time does not know.
void refuse(const char* what);

}  // namespace explore
