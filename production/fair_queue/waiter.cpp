#include "production/fair_queue/waiter.h"

#include <utility>

namespace fair_queue {

void Waiter::give_turn(Turn turn) {
  {
    const std::lock_guard guard(mutex_);
    turn_ = turn;
    has_news_ = true;
  }
  woken_.notify_all();
}

bool Waiter::has_turn() const {
  const std::lock_guard guard(mutex_);
  return turn_.has_value();
}

std::optional<Waiter::Turn> Waiter::take_turn() {
  const std::lock_guard guard(mutex_);
  has_news_ = false;
  return std::exchange(turn_, std::nullopt);
}

void Waiter::look_at(Clock::time_point time) {
  {
    const std::lock_guard guard(mutex_);
    look_at_ = time;
    has_news_ = true;
  }
  woken_.notify_all();
}

Clock::time_point Waiter::look_time() {
  const std::lock_guard guard(mutex_);
  has_news_ = turn_.has_value();
  return look_at_;
}

void Waiter::begin_to_look() {
  const std::lock_guard guard(mutex_);
  look_at_ = Clock::time_point::max();
}

bool Waiter::has_news() const {
  const std::lock_guard guard(mutex_);
  return has_news_;
}

void Waiter::prepare_to_wait() {
  const std::lock_guard guard(mutex_);
  waits_ = true;
}

void Waiter::wait(Clock::time_point until, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  woken_.wait_until(lock, stop, until, [&] { return !waits_ || has_news_; });
  waits_ = false;
}

bool Waiter::wake() {
  const std::lock_guard guard(mutex_);
  if (!waits_) return false;
  waits_ = false;
  woken_.notify_all();
  return !has_news_;
}

}  // namespace fair_queue
