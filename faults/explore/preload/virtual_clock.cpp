#include "faults/explore/preload/virtual_clock.h"

#include <algorithm>

#include "faults/explore/preload/map_file.h"
#include "faults/explore/preload/this_process.h"
#include "faults/kit/clock_file.h"

namespace explore {
namespace {

// A wall clock that is stepped while the process runs.
faults::ClockFile* stepped_clock = nullptr;

// How often the thread has asked for the time since its last wait, and the last reply.
// Initial-exec: read without a call that could allocate.
[[gnu::tls_model("initial-exec")]] thread_local std::uint32_t questions = 0;
[[gnu::tls_model("initial-exec")]] thread_local Instant last_reply = 0;

// Virtual time as a running thread of a client reads it: it does not change, except for a thread
// that asks without end, as some do until the clock shows another microsecond.
Instant time_read() {
  constexpr std::uint32_t many = 100'000;
  constexpr Instant microsecond = 1'000;
  if (!counts_waits()) return now();
  last_reply = std::max(last_reply, now()) + (++questions > many ? microsecond : 0);
  return last_reply;
}

// What `clock` shows when virtual time is 0.
Instant shown_at_start(clockid_t clock) {
  const auto step = stepped_clock == nullptr ? 0 : stepped_clock->offset.load();
  if (!lives_in_virtual_time()) return start_of(clock, step, 0);
  const auto& mine = this_process();
  return start_of(clock, step + mine.wall_offset.load(), mine.monotonic_offset.load());
}

}  // namespace

Instant now() {
  return shared_page()->now.load();
}

Instant after(Instant duration) {
  return later(now(), duration);
}

Instant when(clockid_t clock, const timespec& shown) {
  return duration_of(shown) - shown_at_start(clock);
}

bool is_virtual(clockid_t clock) {
  return shared_page() != nullptr && shows_time(clock);
}

Instant time_by(clockid_t clock) {
  if (stepped_clock != nullptr) stepped_clock->is_read = true;
  if (is_virtual(clock)) return shown_at_start(clock) + time_read();
  timespec time{};
  (void)raw_syscall(SYS_clock_gettime, clock, address_of(&time));
  return duration_of(time);
}

void follow_clock(const char* file) {
  stepped_clock = map_file<faults::ClockFile>(file);
}

void note_wait() {
  questions = 0;
}

}  // namespace explore
