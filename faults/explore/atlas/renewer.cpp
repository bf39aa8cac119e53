#include "faults/explore/atlas/renewer.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "faults/explore/atlas/scripts.h"

namespace atlas {

// Half a period of silence: then there is time for another try.
Renewer::Renewer(const core::Address& server, Renewal how, std::chrono::milliseconds lease)
    : how_(how),
      every_(lease / 3),
      server_(server, {.connect = every_ / 2, .command = every_ / 2}) {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Renewer::watch(std::shared_ptr<Hold> hold) {
  const std::lock_guard guard(mutex_);
  const auto next = hold->asked() + every_;
  watched_.push_back({.hold = std::move(hold), .next = next});
  is_changed_ = true;
  changed_.notify_one();
}

void Renewer::stop_renewing(Hold& hold) {
  hold.stop_renewing();
  const std::lock_guard guard(mutex_);
  is_changed_ = true;
  changed_.notify_one();
}

void Renewer::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto is_changed = [this] { return is_changed_; };
  while (!stop.stop_requested()) {
    std::erase_if(watched_, [](const Watched& one) { return !one.hold->is_renewed(); });
    is_changed_ = false;
    if (watched_.empty()) {
      changed_.wait(lock, stop, is_changed);
    } else if (!changed_.wait_until(lock, stop, first()->due(), is_changed)) {
      if (!stop.stop_requested()) act(lock);
    }
  }
}

void Renewer::act(std::unique_lock<std::mutex>& lock) {
  const auto asked = Clock::now();
  const auto hold = first()->hold;
  if (hold->ends() <= asked) return hold->mark_lost();
  lock.unlock();
  const auto outcome = renew(*hold);
  lock.lock();
  if (outcome == Outcome::lost) return hold->mark_lost();
  if (outcome == Outcome::renewed) hold->renewed_from(asked);
  for (auto& one : watched_) {
    if (one.hold != hold) continue;
    one.next = outcome == Outcome::renewed ? std::max(one.next + every_, asked)
                                           : Clock::now() + every_ / 4;
  }
}

Renewer::Outcome Renewer::renew(const Hold& hold) {
  try {
    return ask(hold);
  } catch (const core::ServerError&) {
    return Outcome::unknown;
  }
}

Renewer::Outcome Renewer::ask(const Hold& hold) {
  const auto lease = std::to_string(hold.lease().count());
  if (how_ == Renewal::script) {
    const auto renewed = server_.run(scripts::renew, {hold.key()}, {hold.value(), lease});
    return renewed.integer() == 1 ? Outcome::renewed : Outcome::lost;
  }
  if (how_ == Renewal::compare) {
    const auto holder = server_.command({"GET", hold.key()});
    if (holder.is_nil() || holder.text() != hold.value()) return Outcome::lost;
  }
  // Weakness: it renews the lock no matter whose it is by now.
  const auto renewed = server_.command({"PEXPIRE", hold.key(), lease});
  return renewed.integer() == 1 ? Outcome::renewed : Outcome::lost;
}

std::vector<Renewer::Watched>::iterator Renewer::first() {
  return std::min_element(watched_.begin(), watched_.end(),
                          [](const auto& a, const auto& b) { return a.due() < b.due(); });
}

}  // namespace atlas
