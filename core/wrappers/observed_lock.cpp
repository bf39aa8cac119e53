#include "core/wrappers/observed_lock.h"

#include <functional>
#include <utility>

namespace core {

// A hold, from being acquired to being released. The callback ends with it.
struct ObservedLock::Held {
  Held(Clock::time_point acquired, std::stop_token token, const std::shared_ptr<Observer>& observer)
      : since(acquired),
        lost(std::move(token)),
        when_lost(lost, [acquired, observer] { observer->lost(Clock::now() - acquired); }) {}

  const Clock::time_point since;
  const std::stop_token lost;
  const std::stop_callback<std::function<void()>> when_lost;
};

ObservedLock::ObservedLock(Lock& lock, std::shared_ptr<Observer> observer)
    : ForwardingLock(lock), observer_(std::move(observer)) {}

ObservedLock::~ObservedLock() = default;

Acquire ObservedLock::try_acquire() {
  return observe([this] { return lock_.try_acquire(); });
}

Acquire ObservedLock::acquire(const Waiting& waiting, const std::stop_token& stop) {
  return observe([&] { return lock_.acquire(waiting, stop); });
}

Acquire ObservedLock::join(const std::string& hold_token) {
  return observe([&] { return lock_.join(hold_token); });
}

template <typename Ask>
Acquire ObservedLock::observe(Ask ask) {
  const auto asked = Clock::now();
  observer_->attempted();
  auto outcome = Acquire::unknown;
  try {
    outcome = ask();
  } catch (...) {
    observer_->failed();
    throw;
  }
  const auto now = Clock::now();
  observer_->answered(outcome, now - asked);
  if (outcome != Acquire::acquired) return outcome;
  // A thread that enters again continues its hold, unless that has ended.
  const auto held = held_.get();
  auto lost = lock_.lost();
  if (held && lost.stop_possible() && (*held)->lost == lost) return outcome;
  held_.set(std::make_shared<Held>(now, std::move(lost), observer_));
  return outcome;
}

Release ObservedLock::release() {
  auto outcome = Release::unknown;
  try {
    outcome = lock_.release();
  } catch (...) {
    observer_->failed();
    throw;
  }
  const auto held = held_.get();
  if (outcome == Release::still_held) return outcome;
  observer_->released(outcome, held ? Clock::now() - (*held)->since : Observer::Duration::zero());
  if (outcome != Release::unknown) held_.clear();
  return outcome;
}

}  // namespace core
