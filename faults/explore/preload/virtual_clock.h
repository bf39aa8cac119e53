// Virtual time, and the clocks that a process reads of it.
//
// Thread-safety: safe to share.
#pragma once

#include <ctime>

#include "faults/explore/preload/clock_arithmetic.h"
#include "faults/explore/preload/shared_page.h"

namespace explore {

// Virtual time.
[[nodiscard]] Instant now();
// The moment after that duration; `no_limit` for longer than can be counted.
[[nodiscard]] Instant after(Instant duration);
// The moment at which `clock` shows that.
[[nodiscard]] Instant when(clockid_t clock, const timespec& shown);

// False: the clock is the kernel's, of a thread's CPU use, say.
[[nodiscard]] bool is_virtual(clockid_t clock);
// What that clock shows to the calling thread.
[[nodiscard]] Instant time_by(clockid_t clock);

// From now on wall clocks are ahead by what that file says (faults/kit/clock.h).
void follow_clock(const char* file);
// The calling thread is about to wait: it has not asked for the time in a loop without end.
void note_wait();

}  // namespace explore
