// Waits for a mutex that another thread holds. The mutex stays the C library's; only the wait is
// the page's, so that a process can be at rest while its mutex is held: the holder may wait for a
// reply.
//
// In the kernel, as without this library, a thread waits for a mutex of several processes, for a
// robust one, and for one whose holder has no entry in the page: an allocator's own thread.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>

#include "faults/explore/preload/activity.h"
#include "faults/explore/preload/next_function.h"
#include "faults/explore/preload/this_process.h"
#include "faults/explore/preload/thread_entries.h"
#include "faults/explore/preload/virtual_clock.h"
#include "faults/explore/preload/waits.h"

namespace {

using explore::Instant;

// How many threads wait for a mutex, or are about to.
std::atomic<int> waiting_threads{0};

std::uint64_t number_of(const pthread_mutex_t& mutex) {
  return reinterpret_cast<std::uint64_t>(&mutex);
}

// Bits of a mutex's kind in the C library (nptl/pthreadP.h of glibc).
bool is_shared_or_robust(const pthread_mutex_t& mutex) {
  constexpr int robust = 16;
  constexpr int shared = 128;
  return (mutex.__data.__kind & (robust | shared)) != 0;
}

// True if the holder's entry in the page is known, and the C library does not answer at once, as it
// does to the holder of an error-checking mutex. It writes down the holder a moment after it has
// locked the mutex.
bool page_waits_for(const pthread_mutex_t& mutex) {
  constexpr int type = 3;  // these bits of the kind
  const auto holder = __atomic_load_n(&mutex.__data.__owner, __ATOMIC_SEQ_CST);
  if (holder == 0) return true;
  if ((mutex.__data.__kind & type) == PTHREAD_MUTEX_ERRORCHECK_NP &&
      holder == explore::this_thread()->id.load()) {
    return false;
  }
  const auto threads = explore::used_threads(explore::this_process());
  return std::any_of(threads.begin(), threads.end(), [&](const explore::ThreadEntry& thread) {
    return thread.id.load() == holder;
  });
}

// Returns what pthread_mutex_clocklock(3) does; -1 if the kernel has to wait.
int wait_for(pthread_mutex_t* mutex, Instant until) {
  const explore::Wait wait{
      .what = explore::WaitsFor::object, .until = until, .object = number_of(*mutex)};
  for (;;) {
    const auto seen = explore::generation();
    const int result = pthread_mutex_trylock(mutex);
    if (result != EBUSY) return result;
    if (!page_waits_for(*mutex)) return -1;
    if (explore::now() >= until) return ETIMEDOUT;
    (void)explore::rest(wait, seen, explore::Restarts::yes);
  }
}

// The same.
int lock(pthread_mutex_t* mutex, Instant until) {
  if (!explore::counts_waits() || is_shared_or_robust(*mutex)) return -1;
  int result = pthread_mutex_trylock(mutex);
  if (result != EBUSY) return result;
  explore::note_output();
  waiting_threads.fetch_add(1);
  result = wait_for(mutex, until);
  waiting_threads.fetch_sub(1);
  return result;
}

// False: the C library answers EINVAL, if it has to wait.
bool is_valid(clockid_t clock, const timespec& until) {
  constexpr long second_in_ns = 1'000'000'000;
  const bool is_known = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
  return is_known && until.tv_nsec >= 0 && until.tv_nsec < second_in_ns;
}

}  // namespace

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static const auto function =
      explore::next_function<decltype(&pthread_mutex_lock)>("pthread_mutex_lock");
  const int result = lock(mutex, explore::no_limit);
  return result >= 0 ? result : function(mutex);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const timespec* until) noexcept {
  static const auto function =
      explore::next_function<decltype(&pthread_mutex_clocklock)>("pthread_mutex_clocklock");
  const int result = is_valid(clock, *until) ? lock(mutex, explore::when(clock, *until)) : -1;
  return result >= 0 ? result : function(mutex, clock, until);
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  return pthread_mutex_clocklock(mutex, CLOCK_REALTIME, until);
}

// Any thread may let go of it, also one without an entry.
int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static const auto function =
      explore::next_function<decltype(&pthread_mutex_unlock)>("pthread_mutex_unlock");
  const int result = function(mutex);
  if (waiting_threads.load() != 0 && explore::lives_in_virtual_time()) {
    explore::notify_object(number_of(*mutex), 1);
  }
  return result;
}

}  // extern "C"
