// Timers that end by a signal. A participant's alarm(2) is rung by a thread of its own; the others
// are refused, as all are in a search.
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

constinit std::atomic<Instant> alarm_time{no_limit};
constinit std::atomic<bool> has_ringer{false};

// What the thread waits on that rings it.
std::uint64_t ringer() {
  return static_cast<std::uint64_t>(address_of(&alarm_time));
}

// Runs in a thread whose signals are blocked: the alarm is for the others.
void* ring(void* /*nothing*/) {
  for (;;) {
    const auto seen = generation();
    auto until = alarm_time.load();
    const Wait wait{.what = WaitsFor::object, .until = until, .object = ringer()};
    if (now() < until) {
      (void)rest(wait, seen, Restarts::yes);
    } else if (alarm_time.compare_exchange_strong(until, no_limit)) {
      kill(getpid(), SIGALRM);
    }
  }
}

// An alarm is not the child's of a fork.
void forget_alarm() {
  alarm_time.store(no_limit);
  has_ringer.store(false);
}

bool start_ringer() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_atfork(nullptr, nullptr, forget_alarm);
  pthread_t thread{};
  const bool started = pthread_create(&thread, nullptr, ring, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

// Returns the seconds that were left of the one before; 0: there was none.
unsigned set_alarm(unsigned seconds) {
  const auto until = seconds == 0 ? no_limit : after(seconds * second);
  const auto before = alarm_time.exchange(until);
  if (seconds != 0 && !has_ringer.exchange(true) && !start_ringer()) refuse("alarm");
  notify_object(ringer(), 1);
  if (before == no_limit) return 0;
  const auto left = std::max<Instant>(before - now(), 1);  // it may be due, and not rung yet
  return static_cast<unsigned>((left + second - 1) / second);
}

}  // namespace
}  // namespace explore

extern "C" {

int setitimer(__itimer_which_t which, const itimerval* time, itimerval* before) noexcept {
  const bool sets = which == ITIMER_REAL && time != nullptr &&
                    (time->it_value.tv_sec != 0 || time->it_value.tv_usec != 0);
  if (explore::counts_waits() && sets) explore::refuse("setitimer");
  return explore::returned(explore::raw_syscall(SYS_setitimer, static_cast<long>(which),
                                                explore::address_of(time),
                                                explore::address_of(before)));
}

unsigned alarm(unsigned seconds) noexcept {
  if (explore::is_participant()) return explore::set_alarm(seconds);
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
