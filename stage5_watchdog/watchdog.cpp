#include "stage5_watchdog/watchdog.h"

#include <poll.h>

#include <algorithm>

namespace stage5 {

Watchdog::Watchdog() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Watchdog::~Watchdog() {
  thread_.request_stop();
  wake_up_.wake();
  thread_.join();
}

void Watchdog::watch(const std::shared_ptr<Hold>& hold) {
  bool sooner = false;
  {
    const std::lock_guard guard(mutex_);
    hold->watched_ = true;
    schedule(hold);
    sooner = hold->scheduled_ < wakes_at_;
    if (sooner) wakes_at_ = hold->scheduled_;
  }
  // A thread that wakes in time anyway is left asleep: a lock that is taken and released at once
  // costs no switch of threads.
  if (sooner) wake_up_.wake();
}

void Watchdog::mark_lost(const std::shared_ptr<Hold>& hold) {
  if (!forget(hold)) return;
  hold->lost_.request_stop();  // outside the mutex: it calls what its holder registered
}

void Watchdog::stop_renewing(const std::shared_ptr<Hold>& hold) {
  const std::lock_guard guard(mutex_);
  hold->renewal_stopped_ = true;
  if (!hold->watched_) return;
  unschedule(hold);
  schedule(hold);
}

bool Watchdog::forget(const std::shared_ptr<Hold>& hold) {
  const std::lock_guard guard(mutex_);
  hold->renewal_stopped_ = true;
  unschedule(hold);
  return std::exchange(hold->watched_, false);
}

void Watchdog::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto now = Clock::now();
    for (const auto& hold : take_due(now)) act_on(hold, now);
    for (auto& [server, pipeline] : pipelines_) pipeline.advance(Clock::now());
    wait_for_events();
  }
}

std::vector<std::shared_ptr<Hold>> Watchdog::take_due(Clock::time_point now) {
  std::vector<std::shared_ptr<Hold>> due;
  const std::lock_guard guard(mutex_);
  if (schedule_.empty() || schedule_.begin()->first > now) return due;
  // In one pipeline: each system call for a renewal alone costs more than the renewal.
  while (!schedule_.empty() &&
         (schedule_.begin()->first <= now || schedule_.begin()->second->is_due(now))) {
    due.push_back(schedule_.begin()->second);
    schedule_.erase(schedule_.begin());
  }
  return due;
}

void Watchdog::act_on(const std::shared_ptr<Hold>& hold, Clock::time_point now) {
  if (hold->ends() <= now) return mark_lost(hold);
  if (!begin_renewal(hold, now)) return;
  hold->renew([this](const auto& server, Question question) { ask(server, std::move(question)); },
              [this, hold, now](Renewed outcome) { settle(hold, now, outcome); });
}

bool Watchdog::begin_renewal(const std::shared_ptr<Hold>& hold, Clock::time_point now) {
  const std::lock_guard guard(mutex_);
  if (!hold->watched_) return false;
  // If it is not due, it was scheduled for the end of a lease that has been extended since.
  const bool is_due = hold->is_due(now);
  if (is_due) {
    hold->renewal_pending_ = true;
    hold->renew_at(std::max(hold->next_renewal_ + hold->renewal_->every, now));
  }
  schedule(hold);
  return is_due;
}

void Watchdog::settle(const std::shared_ptr<Hold>& hold, Clock::time_point asked, Renewed outcome) {
  const auto& renewal = *hold->renewal_;
  if (renewal.observer) renewal.observer->renewed(outcome == Renewed::renewed);
  // A hold that is being released may be gone already: that is no loss.
  if (outcome == Renewed::lost && !hold->renewal_stopped_) return mark_lost(hold);
  const std::lock_guard guard(mutex_);
  if (!hold->watched_) return;
  unschedule(hold);
  hold->renewal_pending_ = false;
  if (outcome == Renewed::renewed) {
    hold->count_from(asked, hold->lease());
  } else {
    hold->renew_at(Clock::now() + renewal.every / 4);
  }
  schedule(hold);
}

void Watchdog::ask(const core::Address& server, Question question) {
  pipelines_.try_emplace(server, server).first->second.ask(std::move(question), Clock::now());
}

void Watchdog::schedule(const std::shared_ptr<Hold>& hold) {
  hold->scheduled_ =
      hold->may_be_renewed() ? std::min(hold->next_renewal_, hold->ends()) : hold->ends();
  schedule_.emplace(hold->scheduled_, hold);
}

void Watchdog::wait_for_events() {
  std::vector<pollfd> sources{wake_up_.to_poll()};
  auto until = Clock::time_point::max();
  for (const auto& [server, pipeline] : pipelines_) {
    sources.push_back(pipeline.to_poll());
    until = std::min(until, pipeline.overdue());
  }
  {
    const std::lock_guard guard(mutex_);
    if (!schedule_.empty()) until = std::min(until, schedule_.begin()->first);
    // Not later than planned, even if that hold has been released meanwhile: else the next hold
    // would be due sooner, and each acquire would have to wake this thread.
    if (wakes_at_ > Clock::now()) until = std::min(until, wakes_at_);
    wakes_at_ = until;
  }
  int limit = -1;
  if (until != Clock::time_point::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    limit = static_cast<int>(std::clamp<long long>(left.count(), 0, 3'600'000));
  }
  poll(sources.data(), sources.size(), limit);
  wake_up_.clear();
}

}  // namespace stage5
