#include "faults/explore/preload/timers.h"

#include <poll.h>
#include <sys/timerfd.h>

#include <cstring>

#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/this_process.h"
#include "faults/explore/preload/virtual_clock.h"

namespace explore {
namespace {

TimerEntry* timer_of(int descriptor) {
  if (!is_participant() || descriptor <= 0) return nullptr;
  for (auto& timer : this_process().timers) {
    if (timer.descriptor.load() == descriptor) return &timer;
  }
  return nullptr;
}

long set_in_kernel(int descriptor, Instant after) {
  const itimerspec time{.it_interval = {}, .it_value = to_timespec(after)};
  return raw_syscall(SYS_timerfd_settime, descriptor, 0, address_of(&time), 0);
}

// If several threads look at the same time, one of them does it.
void ring(TimerEntry& timer, Instant due) {
  const auto interval = timer.interval.load();
  const auto times = interval == 0 ? 1 : 1 + (now() - due) / interval;
  const auto next = interval == 0 ? no_limit : due + times * interval;
  if (!timer.until.compare_exchange_strong(due, next)) return;
  timer.expirations.fetch_add(static_cast<std::uint64_t>(times));
  pollfd rung{.fd = timer.descriptor.load(), .events = POLLIN, .revents = 0};
  (void)set_in_kernel(rung.fd, 1);
  // The kernel takes a moment, and another thread may read it in that.
  const timespec moment{.tv_sec = 0, .tv_nsec = 1'000'000};
  while (timer.expirations.load() != 0 &&
         raw_syscall(SYS_ppoll, address_of(&rung), 1, address_of(&moment), 0, 8) == 0) {
  }
}

bool set(TimerEntry& timer, int flags, const itimerspec& time) {
  const auto value = duration_of(time.it_value);
  const bool absolute = (flags & TFD_TIMER_ABSTIME) != 0;
  auto until = no_limit;
  if (value != 0) until = absolute ? when(timer.clock.load(), time.it_value) : after(value);
  if (set_in_kernel(timer.descriptor.load(), 0) != 0) return false;
  timer.expirations.store(0);
  timer.interval.store(duration_of(time.it_interval));
  timer.until.store(until);
  ring_due_timers();
  return true;
}

}  // namespace

void ring_due_timers() {
  if (!is_participant()) return;
  for (auto& timer : this_process().timers) {
    const auto due = timer.until.load();
    if (timer.descriptor.load() != 0 && due <= now()) ring(timer, due);
  }
}

void count_expirations(int descriptor, void* count) {
  auto* timer = timer_of(descriptor);
  if (timer == nullptr) return;
  const auto times = timer->expirations.exchange(0);
  if (times > 0) std::memcpy(count, &times, sizeof times);
}

void forget_timer(int descriptor) {
  if (auto* timer = timer_of(descriptor)) {
    timer->until.store(no_limit);
    timer->expirations.store(0);
    timer->descriptor.store(0);
  }
}

}  // namespace explore

extern "C" {

int timerfd_create(int clock, int flags) noexcept {
  const auto descriptor = explore::raw_syscall(SYS_timerfd_create, clock, flags);
  if (descriptor <= 0 || !explore::is_participant()) return explore::returned(descriptor);
  for (auto& timer : explore::this_process().timers) {
    std::int32_t none = 0;
    const auto number = static_cast<std::int32_t>(descriptor);
    if (!timer.descriptor.compare_exchange_strong(none, number)) continue;
    timer.clock.store(clock);
    return number;
  }
  explore::refuse("more than 8 timers");
  return explore::returned(descriptor);
}

int timerfd_settime(int descriptor, int flags, const itimerspec* time,
                    itimerspec* before) noexcept {
  if (auto* timer = explore::timer_of(descriptor)) {
    if (before != nullptr) timerfd_gettime(descriptor, before);
    return explore::set(*timer, flags, *time) ? 0 : -1;
  }
  if (explore::counts_waits()) explore::refuse("timerfd_settime");
  return explore::returned(explore::raw_syscall(SYS_timerfd_settime, descriptor, flags,
                                                explore::address_of(time),
                                                explore::address_of(before)));
}

int timerfd_gettime(int descriptor, itimerspec* time) noexcept {
  const auto* timer = explore::timer_of(descriptor);
  if (timer == nullptr) {
    return explore::returned(
        explore::raw_syscall(SYS_timerfd_gettime, descriptor, explore::address_of(time)));
  }
  explore::ring_due_timers();
  const auto until = timer->until.load();
  const auto left = until == explore::no_limit ? 0 : until - explore::now();
  *time = {.it_interval = explore::to_timespec(timer->interval.load()),
           .it_value = explore::to_timespec(left)};
  return 0;
}

}  // extern "C"
