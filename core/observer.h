// The events of a lock, for a metrics library or a log.
//
//   auto numbers = std::make_shared<core::LogLines>("orders", std::clog);
//   Lock lock(quorum, "lock:order:4711", {.observer = numbers});  // tells of renewals
//   core::ObservedLock observed(lock, numbers);                     // and of all else
//   std::lock_guard guard(observed);
//
// One observer serves one kind of lock, such as "orders", not one key: a metric with a label for
// each key grows without end. All functions do nothing unless they are overridden.
//
// Thread-safety: an observer is called from any thread, also from the watchdog's; it must be quick,
// and must not throw.
#pragma once

#include <chrono>
#include <string_view>

#include "core/outcome.h"

namespace core {

class Observer {
 public:
  using Duration = std::chrono::steady_clock::duration;

  Observer() = default;
  virtual ~Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  // A thread asks for the lock.
  virtual void attempted() noexcept {}
  // The answer, after it has waited for so long: acquired, contended (it gave up) or unknown.
  virtual void answered(Acquire /*outcome*/, Duration /*waited*/) noexcept {}
  // No answer: the server cannot be reached, or refuses.
  virtual void failed() noexcept {}
  // The outcome of a release, and how long the lock was held by then. After `unknown` a second
  // release may follow.
  virtual void released(Release /*outcome*/, Duration /*held*/) noexcept {}
  // The holder was notified that it has lost the lock.
  virtual void lost(Duration /*held*/) noexcept {}
  // A renewal was answered: renewed, or not (no answer yet: it is tried again).
  virtual void renewed(bool /*succeeded*/) noexcept {}
  // The server is away, and the lock was acquired for this process alone
  // (core/wrappers/fallback_lock.h).
  virtual void degraded(std::string_view /*reason*/) noexcept {}
};

}  // namespace core
