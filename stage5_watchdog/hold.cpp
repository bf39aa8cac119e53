#include "stage5_watchdog/hold.h"

#include <algorithm>
#include <utility>

#include "core/lease.h"

namespace stage5 {

Hold::Hold(std::string token, std::chrono::milliseconds lease, Clock::time_point asked,
           std::shared_ptr<const Renewal> renewal)
    : token_(std::move(token)),
      lease_(lease),
      renewal_(std::move(renewal)),
      acquired_(asked),
      ends_(core::local_deadline(asked, lease)),
      next_renewal_(Clock::time_point::max()) {
  if (renewal_) renew_at(asked + renewal_->every);
}

std::chrono::milliseconds Hold::remaining() const {
  if (lost_.stop_requested()) return std::chrono::milliseconds(0);
  const auto left = std::chrono::floor<std::chrono::milliseconds>(ends() - Clock::now());
  return std::max(left, std::chrono::milliseconds(0));
}

void Hold::extend(std::chrono::milliseconds lease, Clock::time_point asked) {
  lease_ = std::max(lease_.load(), lease);
  count_from(asked, lease);
}

void Hold::renew(const Ask& ask, const OnOutcome& settle) {
  ask(renewal_->server, {.hold = shared_from_this(),
                         .script = renewal_->script,
                         .keys = {renewal_->key},
                         .arguments = {token_, std::to_string(lease().count())},
                         .answered = settle});
}

void Hold::renew_at(Clock::time_point time) {
  const auto held = std::chrono::ceil<std::chrono::milliseconds>(time - acquired_);
  const bool held_too_long = renewal_->max_hold && held > *renewal_->max_hold;
  next_renewal_ = held_too_long ? Clock::time_point::max() : time;
}

void Hold::count_from(Clock::time_point asked, std::chrono::milliseconds lease) {
  const auto ends = core::local_deadline(asked, lease);
  auto known = ends_.load();
  // An answer that was long on its way may speak of an older lease than the last one known of.
  while (known < ends && !ends_.compare_exchange_weak(known, ends)) {
  }
}

}  // namespace stage5
