// Threads begin and end in the page too. And timers that virtual time does not know are refused.
#include <pthread.h>
#include <sys/time.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>

#include "faults/explore/preload/next_function.h"
#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/this_process.h"
#include "faults/explore/preload/thread_entries.h"
#include "faults/explore/preload/waits.h"

namespace {

struct Start {
  void* (*routine)(void*);
  void* argument;
  explore::ThreadEntry* entry;
};

void* begin(void* start) {
  const auto given = *static_cast<Start*>(start);
  std::free(start);
  explore::enter_thread(given.entry);
  return given.routine(given.argument);
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                   void* argument) noexcept {
  static const auto function = explore::next_function<decltype(&pthread_create)>("pthread_create");
  if (!explore::counts_waits()) return function(thread, attributes, routine, argument);
  auto* start = static_cast<Start*>(std::malloc(sizeof(Start)));
  if (start == nullptr) return EAGAIN;
  auto* entry = explore::count_thread();
  *start = {.routine = routine, .argument = argument, .entry = entry};
  const int failed = function(thread, attributes, begin, start);
  if (failed != 0) explore::uncount_thread(entry);
  return failed;
}

int pthread_join(pthread_t thread, void** result) {
  static const auto function = explore::next_function<decltype(&pthread_join)>("pthread_join");
  if (explore::counts_waits()) explore::rest_until_end_of(thread);
  return function(thread, result);
}

int setitimer(__itimer_which_t which, const itimerval* time, itimerval* before) noexcept {
  const bool sets = which == ITIMER_REAL && time != nullptr &&
                    (time->it_value.tv_sec != 0 || time->it_value.tv_usec != 0);
  if (explore::counts_waits() && sets) explore::refuse("setitimer");
  return explore::returned(explore::raw_syscall(SYS_setitimer, static_cast<long>(which),
                                                explore::address_of(time),
                                                explore::address_of(before)));
}

unsigned alarm(unsigned seconds) noexcept {
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
