// The interface of every lock: it can be tried and released.
//
// A lock writes two functions, `try_acquire()` and `release()`. Everything that blocks, retries or
// keeps a deadline is written here, once, on top of them, and makes each lock a *TimedLockable*
// (https://en.cppreference.com/w/cpp/named_req/TimedLockable), so that the standard guards work:
//
//   Lock lock(server, "orders", 10s);      // of any of them
//   std::unique_lock guard(lock, 2s);      // waits at most two seconds
//   if (guard.owns_lock()) { ... }
//
// Use `acquire()` and `release()` if the difference between *contended* and *unknown*, or between
// *released*, *expired* and *stolen*, matters to you: the standard's `bool` and `void` cannot
// express it.
//
// Thread-safety: a lock object may be shared by threads, like a std::mutex.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>

#include "core/outcome.h"
#include "core/waiting.h"

namespace core {

// Thrown by `lock()` and the `try_lock` family, which return no outcome, if the outcome is
// *unknown*: the calling thread may hold the lock, and no reply said so.
class OutcomeUnknown : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Lock {
 public:
  virtual ~Lock() = default;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  // Asks once and does not wait. Throws Unreachable (nothing was sent; with several servers: not to
  // a majority) or ErrorReply.
  [[nodiscard]] virtual Acquire try_acquire() = 0;

  // Releases the calling thread's hold. Throws Unreachable (nothing was sent) or ErrorReply.
  [[nodiscard]] virtual Release release() = 0;

  // The time left of the calling thread's lease by its own clock, less a margin (core/lease.h); 0
  // once the hold is lost. Nothing if this lock cannot tell, or without a hold.
  [[nodiscard]] virtual std::optional<std::chrono::milliseconds> remaining() const {
    return std::nullopt;
  }

  // Stop is requested when the calling thread's hold is lost; never if this lock cannot tell, or
  // without a hold.
  [[nodiscard]] virtual std::stop_token lost() const { return {}; }

  // The token that identifies the calling thread's hold. Another thread or process that presents it
  // to `join()` joins the hold. Nothing without a hold, or if this lock cannot be joined.
  [[nodiscard]] virtual std::optional<std::string> hold_token() const { return std::nullopt; }
  // Enters the hold of that token. `contended`: that hold has ended. Throws std::logic_error if
  // this lock cannot be joined, else as `try_acquire()`.
  [[nodiscard]] virtual Acquire join(const std::string& hold_token);

  // The hold's number, greater than that of every earlier hold, for the storage to check. Nothing
  // without a hold, or if this lock does not number its holds.
  [[nodiscard]] virtual std::optional<std::uint64_t> fencing_token() const { return std::nullopt; }

  // The default waiting policy: 1 ms before the second try, doubling to 50 ms, each pause shortened
  // at random by up to half.
  [[nodiscard]] virtual Waiting usual_waiting() const;

  // Tries until the lock is acquired, `waiting` allows no further try, or `stop` is requested; in
  // the last two cases the outcome is `contended`. `unknown` ends the wait at once. Throws as
  // `try_acquire()`.
  [[nodiscard]] virtual Acquire acquire(const Waiting& waiting, const std::stop_token& stop = {});

  // The standard's names, waiting as `usual_waiting()` says. All throw OutcomeUnknown, Unreachable
  // or ErrorReply.
  void lock();
  [[nodiscard]] bool try_lock();
  [[nodiscard]] bool try_lock_for(std::chrono::nanoseconds time);
  template <typename Clock, typename Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) {
    return try_lock_for(std::chrono::duration_cast<std::chrono::nanoseconds>(time - Clock::now()));
  }

  // Releases and never throws, so that a guard can call it during an exception; the outcome of
  // `release()` is dropped. If the server cannot be reached, the lock stays until its lease ends.
  void unlock() noexcept;

 protected:
  friend class FallbackLock;  // these pass on what they are asked
  friend class ForwardingLock;
  Lock() = default;

  // A try by a thread that will wait if it is refused; a lock with a queue enqueues it then.
  [[nodiscard]] virtual Acquire try_or_enqueue() { return try_acquire(); }

  // Waits between two tries for `time`, or less if there is a reason to try sooner. False once
  // `stop` is requested.
  [[nodiscard]] virtual bool pause(Waiting::Duration time, const std::stop_token& stop);

  // Cancels a queued wait.
  virtual void cancel_wait() noexcept {}

  // Called when `unlock()` did not learn the outcome of its release; no caller will ask again. A
  // re-entrant lock counts the inner level as left all the same: otherwise the outer `unlock()`
  // would leave only that level, and the lock would stay held.
  virtual void abandon_level() {}
};

// The standard guards' requirements on a lock; each lock proves them with a static_assert.
template <typename T>
concept TimedLockable = requires(T lock, std::chrono::milliseconds time,
                                 std::chrono::steady_clock::time_point point) {
  { lock.lock() } -> std::same_as<void>;
  { lock.try_lock() } -> std::same_as<bool>;
  { lock.try_lock_for(time) } -> std::same_as<bool>;
  { lock.try_lock_until(point) } -> std::same_as<bool>;
  { lock.unlock() }
  noexcept->std::same_as<void>;
};

}  // namespace core
