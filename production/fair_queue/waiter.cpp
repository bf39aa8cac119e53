#include "production/fair_queue/waiter.h"

#include <algorithm>

namespace fair_queue {

void Waiter::hand_over(Clock::time_point since) {
  handed_over_ = std::max(since, made_);
  notify();
}

std::optional<Clock::time_point> Waiter::take_over() {
  const auto since = handed_over_.exchange(Clock::time_point::min());
  return since == Clock::time_point::min() ? std::nullopt : std::optional(since);
}

void Waiter::notify() {
  ++generation_;
  wake();
}

void Waiter::prepare_to_wait() {
  const std::lock_guard guard(mutex_);
  waits_ = true;
}

void Waiter::wait(std::uint64_t generation, Clock::time_point until, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  woken_.wait_until(lock, stop, until, [&] { return !waits_ || generation_ > generation; });
  waits_ = false;
}

bool Waiter::wake() {
  const std::lock_guard guard(mutex_);
  if (!waits_) return false;
  waits_ = false;
  woken_.notify_all();
  return true;
}

std::shared_ptr<Waiter> WaiterRegistry::add(std::chrono::milliseconds lease) {
  auto waiter = std::make_shared<Waiter>(lease);
  const std::lock_guard guard(mutex_);
  if (waiters_.size() >= clean_at_) {
    std::erase_if(waiters_, [](const auto& entry) { return entry.second.expired(); });
    clean_at_ = 2 * waiters_.size() + 16;
  }
  waiters_[waiter->token()] = waiter;
  return waiter;
}

std::shared_ptr<Waiter> WaiterRegistry::find(std::string_view token) {
  const std::lock_guard guard(mutex_);
  const auto found = waiters_.find(token);
  return found == waiters_.end() ? nullptr : found->second.lock();
}

void WaiterRegistry::notify_all() {
  for (const auto& waiter : all()) waiter->notify();
}

void WaiterRegistry::wake_one() {
  for (const auto& waiter : all()) {
    if (waiter->wake()) return;
  }
}

std::vector<std::shared_ptr<Waiter>> WaiterRegistry::all() {
  std::vector<std::shared_ptr<Waiter>> found;
  const std::lock_guard guard(mutex_);
  for (const auto& [token, known] : waiters_) {
    if (auto waiter = known.lock()) found.push_back(std::move(waiter));
  }
  return found;
}

}  // namespace fair_queue
