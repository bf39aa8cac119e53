// Timers that end by a signal. A participant's alarm(2) is rung by a thread of its own; the others
// are refused, as all are in a search. A program that becomes another keeps its alarm (execve(2)).
#include "faults/explore/preload/alarms.h"

#include <pthread.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>

#include "faults/explore/preload/next_function.h"
#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/this_process.h"
#include "faults/explore/preload/waits.h"

namespace explore {
namespace {

constinit std::atomic<bool> has_ringer{false};

std::atomic<Instant>& alarm_time() {
  return this_process().alarm;
}

// The object that the ringing thread waits on.
std::uint64_t ringer() {
  return static_cast<std::uint64_t>(address_of(&alarm_time()));
}

// Runs in a thread whose signals are blocked: the alarm is for the others.
void* ring(void* /*nothing*/) {
  for (;;) {
    const auto seen = generation();
    auto until = alarm_time().load();
    const Wait wait{.what = WaitsFor::object, .until = until, .object = ringer()};
    if (now() < until) {
      (void)rest(wait, seen, Restarts::yes);
    } else if (alarm_time().compare_exchange_strong(until, no_limit)) {
      kill(getpid(), SIGALRM);
    }
  }
}

// A fork copies one thread, and not that one.
void forget_ringer() {
  has_ringer.store(false);
}

bool start_ringer() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_atfork(nullptr, nullptr, forget_ringer);
  pthread_t thread{};
  const bool started = pthread_create(&thread, nullptr, ring, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

void need_ringer() {
  if (!has_ringer.exchange(true) && !start_ringer()) refuse("alarm");
}

// Returns how much was left of the one before; 0: there was none.
Instant set_alarm(Instant until) {
  const auto before = alarm_time().exchange(until);
  if (until != no_limit) need_ringer();
  notify_object(ringer(), 1);
  if (before == no_limit) return 0;
  return std::max<Instant>(before - now(), 1);  // it may be due, and not rung yet
}

itimerval once_in(Instant duration) {
  constexpr Instant microsecond = 1'000;
  const auto whole = (duration + microsecond - 1) / microsecond * microsecond;
  return {.it_interval = {},
          .it_value = {.tv_sec = whole / second, .tv_usec = whole % second / microsecond}};
}

}  // namespace

void continue_alarm() {
  if (alarm_time().load() != no_limit) need_ringer();
}

}  // namespace explore

extern "C" {

int setitimer(__itimer_which_t which, const itimerval* time, itimerval* before) noexcept {
  const bool is_real = which == ITIMER_REAL && time != nullptr;
  const bool sets = is_real && (time->it_value.tv_sec != 0 || time->it_value.tv_usec != 0);
  if (explore::counts_waits() && sets) explore::refuse("setitimer");
  if (explore::is_participant() && is_real && !sets) {
    const auto left = explore::set_alarm(explore::no_limit);
    if (before != nullptr) *before = explore::once_in(left);
    return 0;
  }
  return explore::returned(explore::raw_syscall(SYS_setitimer, static_cast<long>(which),
                                                explore::address_of(time),
                                                explore::address_of(before)));
}

unsigned alarm(unsigned seconds) noexcept {
  if (explore::is_participant()) {
    const auto until = seconds == 0 ? explore::no_limit : explore::after(seconds * explore::second);
    const auto left = explore::set_alarm(until);
    return static_cast<unsigned>((left + explore::second - 1) / explore::second);
  }
  if (explore::counts_waits() && seconds != 0) explore::refuse("alarm");
  const itimerval time{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
  itimerval before{};
  (void)explore::raw_syscall(SYS_setitimer, ITIMER_REAL, explore::address_of(&time),
                             explore::address_of(&before));
  return static_cast<unsigned>(before.it_value.tv_sec);
}

int timer_settime(timer_t timer, int flags, const itimerspec* time, itimerspec* before) noexcept {
  if (explore::counts_waits()) explore::refuse("timer_settime");
  static const auto function = explore::next_function<decltype(&timer_settime)>("timer_settime");
  return function(timer, flags, time, before);
}

}  // extern "C"
