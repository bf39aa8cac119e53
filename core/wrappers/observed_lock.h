// A lock that reports its events to an observer. All else is the wrapped lock's. A lock without an
// observer needs no wrapper, and costs nothing more.
//
// Thread-safety: safe to share, like every lock.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "core/observer.h"
#include "core/per_thread.h"
#include "core/wrappers/forwarding_lock.h"

namespace core {

class ObservedLock : public ForwardingLock {
 public:
  // `lock` must outlive this. Acquire and release the lock through this alone: what goes past it is
  // not seen.
  ObservedLock(Lock& lock, std::shared_ptr<Observer> observer);
  ~ObservedLock() override;

  [[nodiscard]] Acquire try_acquire() override;
  [[nodiscard]] Acquire acquire(const Waiting& waiting, const std::stop_token& stop = {}) override;
  [[nodiscard]] Acquire join(const std::string& hold_token) override;
  [[nodiscard]] Release release() override;

 private:
  struct Held;
  using Clock = std::chrono::steady_clock;

  template <typename Ask>
  [[nodiscard]] Acquire observe(Ask ask);

  const std::shared_ptr<Observer> observer_;
  PerThread<std::shared_ptr<Held>> held_;  // the calling thread's
};

}  // namespace core
