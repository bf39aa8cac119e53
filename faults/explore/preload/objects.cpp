// Waits for another thread of the same process: condition variables, semaphores, futexes.
//
// A client's condition variables are the page's: a thread that waits writes down the address of its
// condition, and a thread that signals looks for that address. A condition variable may wake a
// thread for no reason (pthread_cond_wait(3)), so nothing else of it has to be kept.
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <cstdarg>
#include <cstring>

#include "faults/explore/preload/activity.h"
#include "faults/explore/preload/next_function.h"
#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/this_process.h"
#include "faults/explore/preload/waits.h"

namespace {

using explore::Instant;
using explore::no_limit;
using explore::Woken;

std::uint64_t number_of(const void* object) {
  return reinterpret_cast<std::uint64_t>(object);
}

void unlock(void* mutex) {
  pthread_mutex_unlock(static_cast<pthread_mutex_t*>(mutex));
}

int wait_for(pthread_cond_t* condition, pthread_mutex_t* mutex, Instant until) {
  explore::note_output();
  const explore::Wait wait{
      .what = explore::WaitsFor::object, .until = until, .object = number_of(condition)};
  const auto woken = explore::rest_after(wait, unlock, mutex);
  pthread_mutex_lock(mutex);
  return woken == Woken::by_time ? ETIMEDOUT : 0;
}

// A server's threads, and those of a program that is still being loaded, wait in real time.
int real_timed_wait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                    const timespec* until) {
  static const auto function =
      explore::next_function<decltype(&pthread_cond_clockwait)>("pthread_cond_clockwait");
  return function(condition, mutex, clock, until);
}

// True if processes share the semaphore: the third word of the C library's says so. A process that
// posts it notes activity, as for a descriptor.
bool is_shared(const sem_t* semaphore) {
  int shared = 0;
  std::memcpy(&shared, &semaphore->__size[2 * sizeof shared], sizeof shared);
  return explore::is_participant() && shared != 0;
}

int wait_for_semaphore(sem_t* semaphore, Instant until) {
  explore::note_output();
  const auto what =
      is_shared(semaphore) ? explore::WaitsFor::descriptors : explore::WaitsFor::object;
  for (;;) {
    const auto seen = explore::generation();
    if (sem_trywait(semaphore) == 0) return 0;
    if (explore::now() >= until) return explore::returned(-ETIMEDOUT);
    const auto woken = explore::rest({.what = what, .until = until, .object = number_of(semaphore)},
                                     seen, explore::Restarts::yes);
    if (woken == Woken::by_signal) return explore::returned(-EINTR);
  }
}

// futex(2). A wait may end for no reason, too.
long futex(std::uint32_t* word, int operation, std::uint32_t value, const timespec* time) {
  const bool by_wall = (operation & FUTEX_CLOCK_REALTIME) != 0;
  const int command = operation & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET) {
    explore::notify_object(number_of(word), value);
    return explore::raw_syscall(SYS_futex, explore::address_of(word), operation, value, 0, 0, -1);
  }
  const bool absolute = command == FUTEX_WAIT_BITSET;
  Instant until = no_limit;
  if (time != nullptr) {
    until = absolute ? explore::when(by_wall ? CLOCK_REALTIME : CLOCK_MONOTONIC, *time)
                     : explore::after(explore::duration_of(*time));
  }
  explore::note_output();
  const auto seen = explore::generation();
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) return -EAGAIN;
  if (explore::now() >= until) return -ETIMEDOUT;
  const auto woken =
      explore::rest({.what = explore::WaitsFor::object, .until = until, .object = number_of(word)},
                    seen, explore::Restarts::yes);
  if (woken == Woken::by_signal) return -EINTR;
  return woken == Woken::by_time ? -ETIMEDOUT : 0;
}

bool is_known_futex(long operation) {
  const auto command = operation & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE ||
         command == FUTEX_WAKE_BITSET;
}

bool sends_signal(long number) {
  return number == SYS_pidfd_send_signal || number == SYS_kill || number == SYS_tgkill ||
         number == SYS_tkill;
}

}  // namespace

extern "C" {

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (explore::counts_waits()) return wait_for(condition, mutex, no_limit);
  static const auto function =
      explore::next_function<decltype(&pthread_cond_wait)>("pthread_cond_wait");
  return function(condition, mutex);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  if (!explore::counts_waits()) return real_timed_wait(condition, mutex, clock, until);
  return wait_for(condition, mutex, explore::when(clock, *until));
}

// By the clock that the condition was made with (pthread_condattr_setclock(3)): the second bit of
// that word in the C library's condition variable says which.
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
  const bool monotonic = (condition->__data.__wrefs & 2U) != 0;
  return pthread_cond_clockwait(condition, mutex, monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME,
                                until);
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  if (explore::counts_waits()) {
    explore::notify_object(number_of(condition), 1);
    return 0;
  }
  static const auto function =
      explore::next_function<decltype(&pthread_cond_signal)>("pthread_cond_signal");
  return function(condition);
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  if (explore::counts_waits()) {
    explore::notify_object(number_of(condition), explore::ProcessEntry::most_threads);
    return 0;
  }
  static const auto function =
      explore::next_function<decltype(&pthread_cond_broadcast)>("pthread_cond_broadcast");
  return function(condition);
}

int sem_wait(sem_t* semaphore) {
  if (explore::counts_waits()) return wait_for_semaphore(semaphore, no_limit);
  static const auto function = explore::next_function<decltype(&sem_wait)>("sem_wait");
  return function(semaphore);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  if (explore::counts_waits()) {
    return wait_for_semaphore(semaphore, explore::when(clock, *until));
  }
  static const auto function = explore::next_function<decltype(&sem_clockwait)>("sem_clockwait");
  return function(semaphore, clock, until);
}

int sem_timedwait(sem_t* semaphore, const timespec* until) {
  return sem_clockwait(semaphore, CLOCK_REALTIME, until);
}

int sem_post(sem_t* semaphore) noexcept {
  static const auto function = explore::next_function<decltype(&sem_post)>("sem_post");
  const int result = function(semaphore);
  if (explore::counts_waits()) {
    explore::notify_object(number_of(semaphore), explore::ProcessEntry::most_threads);
    if (is_shared(semaphore)) explore::note_activity();
  }
  return result;
}

long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  const auto a = va_arg(list, long);
  const auto b = va_arg(list, long);
  const auto c = va_arg(list, long);
  const auto d = va_arg(list, long);
  const auto e = va_arg(list, long);
  const auto f = va_arg(list, long);
  va_end(list);
  if (number == SYS_futex && explore::counts_waits() && is_known_futex(b)) {
    return explore::returned<long>(futex(reinterpret_cast<std::uint32_t*>(a), static_cast<int>(b),
                                         static_cast<std::uint32_t>(c),
                                         reinterpret_cast<const timespec*>(d)));
  }
  if (sends_signal(number)) explore::note_unsettled();
  const auto result = explore::raw_syscall(number, a, b, c, d, e, f);
  if (sends_signal(number)) explore::note_activity();
  return explore::returned<long>(result);
}

}  // extern "C"
