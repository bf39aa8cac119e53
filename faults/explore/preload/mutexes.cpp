// Waits for a mutex that another thread holds. The mutex stays the C library's; only the wait is the
// page's, so that a process can be at rest while its mutex is held: a thread may wait with it for a
// reply.
#include <pthread.h>

#include <atomic>
#include <cerrno>

#include "faults/explore/preload/activity.h"
#include "faults/explore/preload/next_function.h"
#include "faults/explore/preload/this_process.h"
#include "faults/explore/preload/thread_entries.h"
#include "faults/explore/preload/waits.h"

namespace {

using explore::Instant;

// How many threads wait for a mutex, or are about to.
std::atomic<int> waiting_threads{0};

// Not in a thread without an entry: one that has just begun, or has nearly ended.
bool counts_mutexes() {
  return explore::counts_waits() && explore::this_thread() != nullptr;
}

std::uint64_t number_of(const pthread_mutex_t* mutex) {
  return reinterpret_cast<std::uint64_t>(mutex);
}

int wait_for(pthread_mutex_t* mutex, Instant until) {
  const explore::Wait wait{
      .what = explore::WaitsFor::object, .until = until, .object = number_of(mutex)};
  for (;;) {
    const auto seen = explore::generation();
    const int result = pthread_mutex_trylock(mutex);
    if (result != EBUSY) return result;
    if (explore::now() >= until) return ETIMEDOUT;
    (void)explore::rest(wait, seen, explore::Restarts::yes);
  }
}

int lock(pthread_mutex_t* mutex, Instant until) {
  const int result = pthread_mutex_trylock(mutex);
  if (result != EBUSY) return result;
  explore::note_output();
  waiting_threads.fetch_add(1);
  const int waited = wait_for(mutex, until);
  waiting_threads.fetch_sub(1);
  return waited;
}

}  // namespace

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (counts_mutexes()) return lock(mutex, explore::no_limit);
  static const auto function =
      explore::next_function<decltype(&pthread_mutex_lock)>("pthread_mutex_lock");
  return function(mutex);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const timespec* until) noexcept {
  if (counts_mutexes()) return lock(mutex, explore::when(clock, *until));
  static const auto function =
      explore::next_function<decltype(&pthread_mutex_clocklock)>("pthread_mutex_clocklock");
  return function(mutex, clock, until);
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, until);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static const auto function =
      explore::next_function<decltype(&pthread_mutex_unlock)>("pthread_mutex_unlock");
  const int result = function(mutex);
  if (waiting_threads.load() != 0 && counts_mutexes()) {
    explore::notify_object(number_of(mutex), 1);
  }
  return result;
}

}  // extern "C"
