#include "stage5_watchdog/watchdog.h"

#include <poll.h>

#include <algorithm>

namespace stage5 {

std::shared_ptr<Watchdog> Watchdog::of_this_process() {
  static std::mutex mutex;
  static std::weak_ptr<Watchdog> only;
  const std::lock_guard guard(mutex);
  auto watchdog = only.lock();
  if (!watchdog) {
    watchdog = std::make_shared<Watchdog>();
    only = watchdog;
  }
  return watchdog;
}

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

void Watchdog::stop_renewing(const std::shared_ptr<Hold>& hold) {
  const std::lock_guard guard(mutex_);
  hold->renewal_stopped_ = true;
  if (!hold->watched_) return;
  schedule_.erase({hold->scheduled_, hold});
  schedule(hold);
}

void Watchdog::forget(const std::shared_ptr<Hold>& hold) {
  const std::lock_guard guard(mutex_);
  hold->watched_ = false;
  schedule_.erase({hold->scheduled_, hold});
}

void Watchdog::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto now = Clock::now();
    for (const auto& hold : take_due(now)) act_on(hold, now);
    auto until = Clock::time_point::max();
    for (auto& [address, pipeline] : pipelines_) {
      for (auto& answer : pipeline.advance(Clock::now())) {
        settle(address, std::move(answer), Clock::now());
      }
      until = std::min(until, pipeline.overdue());
    }
    wait_for_events(until);
  }
}

std::vector<std::shared_ptr<Hold>> Watchdog::take_due(Clock::time_point now) {
  std::vector<std::shared_ptr<Hold>> due;
  const std::lock_guard guard(mutex_);
  if (schedule_.empty() || schedule_.begin()->first > now) return due;
  // In one pipeline: each system call for a renewal alone costs more than the renewal.
  while (!schedule_.empty() &&
         (schedule_.begin()->first <= now || schedule_.begin()->second->may_go_along(now))) {
    due.push_back(schedule_.begin()->second);
    schedule_.erase(schedule_.begin());
  }
  return due;
}

void Watchdog::act_on(const std::shared_ptr<Hold>& hold, Clock::time_point now) {
  if (hold->ends() <= now) return mark_lost(hold);
  {
    const std::lock_guard guard(mutex_);
    if (!hold->watched_) return;
    // It was scheduled for the end of a lease that has been extended since.
    if (!hold->may_go_along(now)) return schedule(hold);
    const auto& renewal = *hold->renewal_;
    hold->renewal_pending_ = true;
    hold->renew_at(std::max(hold->next_renewal_ + renewal.every, now));
    schedule(hold);
  }
  ask(hold, hold->questions(now), now, /*counts=*/true);
}

void Watchdog::ask(const std::shared_ptr<Hold>& hold, std::vector<Question> questions,
                   Clock::time_point now, bool counts) {
  for (auto& question : questions) {
    auto& pipeline = pipelines_.try_emplace(question.server, question.server).first->second;
    pipeline.ask(hold, std::move(question), now, counts);
  }
}

void Watchdog::settle(const core::Address& server, RenewalPipeline::Answer answer,
                      Clock::time_point now) {
  const auto& hold = answer.hold;
  if (answer.outcome == Renewed::script_unknown) return ask_by_text(server, std::move(answer));
  if (!answer.counts) return;
  const auto outcome = hold->learn(server, answer.outcome, answer.asked);
  const auto& observer = hold->renewal_->observer;
  if (observer && outcome) observer->renewed(outcome == Renewed::renewed);
  std::unique_lock guard(mutex_);
  if (!hold->watched_) return;
  // A hold that is being released may be gone at a server: that is no loss, and no repair is due.
  const bool released = hold->renewal_stopped_;
  if (outcome == Renewed::lost && !released) {
    guard.unlock();
    return mark_lost(hold);
  }
  if (!released) ask(hold, hold->repairs(), now, /*counts=*/false);
  if (!outcome) return;
  schedule_.erase({hold->scheduled_, hold});
  hold->renewal_pending_ = false;
  if (outcome == Renewed::renewed) {
    hold->count_from(answer.asked, hold->lease());
  } else {
    hold->renew_at(now + hold->renewal_->every / 4);
  }
  schedule(hold);
}

void Watchdog::ask_by_text(const core::Address& server, RenewalPipeline::Answer answer) {
  const std::lock_guard guard(mutex_);
  if (!answer.hold->watched_ || answer.hold->renewal_stopped_) return;  // released meanwhile
  pipelines_.at(server).ask(answer.hold, std::move(answer.question), answer.asked, answer.counts,
                            RenewalPipeline::Script::text);
}

void Watchdog::mark_lost(const std::shared_ptr<Hold>& hold) {
  {
    const std::lock_guard guard(mutex_);
    if (!hold->watched_) return;
    hold->watched_ = false;
    schedule_.erase({hold->scheduled_, hold});
  }
  hold->lost_.request_stop();  // outside the mutex: it calls what its holder registered
}

void Watchdog::schedule(const std::shared_ptr<Hold>& hold) {
  const bool may_renew = hold->renewal_ && !hold->renewal_pending_ && !hold->renewal_stopped_;
  hold->scheduled_ = may_renew ? std::min(hold->next_renewal_, hold->ends()) : hold->ends();
  schedule_.emplace(hold->scheduled_, hold);
}

void Watchdog::wait_for_events(Clock::time_point until) {
  std::vector<pollfd> sources{wake_up_.to_poll()};
  for (const auto& [address, pipeline] : pipelines_) sources.push_back(pipeline.to_poll());
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
