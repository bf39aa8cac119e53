// The interface of every stage: a lock that can be tried and released.
//
// A stage writes two functions, `try_acquire()` and `release()`. Everything that blocks, retries or
// keeps a deadline is written here, once, on top of them, and makes each stage a *TimedLockable*
// (https://en.cppreference.com/w/cpp/named_req/TimedLockable), so that the standard guards work:
//
//   stage4::Lock lock(server, "orders", 10s);
//   std::unique_lock guard(lock, 2s);      // waits at most two seconds
//   if (guard.owns_lock()) { ... }
//
// Use `acquire()` and `release()` where the difference between *contended* and *unknown*, or
// between *released*, *expired* and *stolen*, matters to you: the standard's `bool` and `void` have
// no room for it.
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

// Thrown by `lock()` and the `try_lock` family, which return no outcome, when the answer is
// *unknown*: the lock may be ours, and we were not told.
class OutcomeUnknown : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Lock {
 public:
  virtual ~Lock() = default;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  // Asks once, does not wait. Throws Unreachable (nothing was sent; of several servers: to no
  // majority) or ErrorReply.
  [[nodiscard]] virtual Acquire try_acquire() = 0;

  // Gives back what the calling thread holds. Throws Unreachable (nothing was sent) or ErrorReply.
  [[nodiscard]] virtual Release release() = 0;

  // The rest of the calling thread's lease by our own clock, less a margin: 0 once it is lost.
  // Nothing if this lock cannot tell (stages 1 to 4), or the thread holds nothing.
  [[nodiscard]] virtual std::optional<std::chrono::milliseconds> remaining() const {
    return std::nullopt;
  }

  // Stop is requested when the calling thread's hold is lost. Never, if this lock cannot tell.
  [[nodiscard]] virtual std::stop_token lost() const { return {}; }

  // A name that tells the calling thread's hold from every other. Whoever presents it joins the
  // hold (from stage 6 on): so it can be handed on to another thread or process. Nothing without a
  // hold.
  [[nodiscard]] virtual std::optional<std::string> hold_token() const { return std::nullopt; }
  // `contended`: that hold is over. Throws std::logic_error if this lock cannot be joined.
  [[nodiscard]] virtual Acquire join(const std::string& hold_token);

  // Greater than that of every earlier hold, for the storage to check (stage 8).
  [[nodiscard]] virtual std::optional<std::uint64_t> fencing_token() const { return std::nullopt; }

  // How this lock waits unless told otherwise: 1 ms before the second try, doubling to 50 ms, less
  // up to half.
  [[nodiscard]] virtual Waiting usual_waiting() const;

  // Tries until it is acquired, `waiting` allows no further try, or `stop` is requested; the last
  // two return `contended`. `unknown` ends the waiting at once.
  [[nodiscard]] Acquire acquire(const Waiting& waiting, const std::stop_token& stop = {});

  // The standard's names. They wait as `usual_waiting()` says. All throw OutcomeUnknown,
  // Unreachable or ErrorReply.
  void lock();
  [[nodiscard]] bool try_lock();
  [[nodiscard]] bool try_lock_for(std::chrono::nanoseconds time);
  template <typename Clock, typename Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) {
    return try_lock_for(std::chrono::duration_cast<std::chrono::nanoseconds>(time - Clock::now()));
  }

  // Never throws, so that a guard can call it while an exception flies; what `release()` would have
  // said is lost. If the server cannot be reached, the lock stays until its lease runs out.
  void unlock() noexcept;

 protected:
  Lock() = default;

  // Tries once, for a thread that will wait if it is refused: a lock with a queue puts it there.
  [[nodiscard]] virtual Acquire try_or_enqueue() { return try_acquire(); }

  // Between two tries: waits for `time`, less if there is a reason to try sooner. False once `stop`
  // is requested.
  [[nodiscard]] virtual bool pause(Waiting::Duration time, const std::stop_token& stop);

  // The calling thread was refused, and waits no longer.
  virtual void cancel_wait() noexcept {}

  // The outcome of a release by `unlock()` is unknown, and nobody will ask for it again. A
  // reentrant lock leaves an inner level all the same: else the outer `unlock()` would leave that
  // one, and the lock would stay held.
  virtual void abandon_level() {}
};

// The requirements of the standard's guards; each stage proves them with a static_assert.
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
