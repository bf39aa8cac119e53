#include "stage6_reentrant/reentrant_lock.h"

#include <utility>

#include "core/error.h"
#include "core/token.h"

namespace stage6 {

using std::chrono::milliseconds;

ReentrantLock::ReentrantLock(const std::string& server, const std::string& key)
    : state_(ReentryState::of(server, key)) {}

core::Acquire ReentrantLock::try_acquire() {
  return enter_hold(nullptr);
}

core::Release ReentrantLock::release() {
  const auto level = current();
  if (!level) return core::Release::not_held;
  const bool outermost = level->depth == 1;
  if (outermost) watchdog_->stop_renewing(level->hold);
  state_->begin_release();
  try {
    const auto outcome =
        leave({.token = level->hold->token(), .depth = level->depth, .hold = level->hold});
    if (outcome == core::Release::unknown) return outcome;
    if (!outermost) {
      leave_inner_level(*level);
      return outcome;
    }
    watchdog_->forget(level->hold);
    state_->leave();
    return outcome;
  } catch (const core::LostReply&) {
    return core::Release::unknown;
  }
}

std::optional<milliseconds> ReentrantLock::remaining() const {
  const auto level = current();
  return level ? std::optional(level->hold->remaining()) : std::nullopt;
}

std::stop_token ReentrantLock::lost() const {
  const auto level = current();
  return level ? level->hold->lost() : std::stop_token{};
}

bool ReentrantLock::held_by_this_thread() const {
  const auto level = current();
  return level && !level->releasing && level->hold->remaining() > milliseconds(0);
}

int ReentrantLock::hold_count() const {
  const auto level = current();
  return level ? level->depth : 0;
}

std::optional<std::string> ReentrantLock::hold_token() const {
  const auto level = current();
  return level ? std::optional(level->hold->token()) : std::nullopt;
}

core::Acquire ReentrantLock::join(const std::string& hold_token) {
  return enter_hold(&hold_token);
}

core::Waiting ReentrantLock::usual_waiting() const {
  return core::Waiting::fixed(std::chrono::hours(1));
}

core::Acquire ReentrantLock::enter_hold(const std::string* handed_on) {
  const auto level = current();
  if (level && level->releasing) {
    return finish_release() ? enter_hold(handed_on) : core::Acquire::unknown;
  }
  const bool again = level && (handed_on != nullptr ? hold_token() == *handed_on
                                                    : level->hold->remaining() > milliseconds(0));
  const auto token = again ? level->hold->token() : handed_on ? *handed_on : core::random_token();
  const Entry entry{.token = token,
                    .depth = again ? level->depth + 1 : 1,
                    .hold = again ? level->hold : nullptr,
                    .begins = !again && handed_on == nullptr};
  const auto outcome = enter_or_roll_back(entry);
  // The thread's own hold turned out to be over: it needs a new one.
  const bool over = outcome == core::Acquire::contended && entry.hold &&
                    entry.hold->remaining() == milliseconds(0);
  return over && handed_on == nullptr ? try_acquire() : outcome;
}

core::Acquire ReentrantLock::enter_or_roll_back(const Entry& entry) {
  try {
    return enter(entry);
  } catch (const core::LostReply&) {
    roll_back(entry);
    return core::Acquire::unknown;
  }
}

core::Acquire ReentrantLock::record(const Entry& entry, std::shared_ptr<Hold> hold,
                                    milliseconds lease, Clock::time_point asked) {
  hold->extend(lease, asked);
  if (hold->remaining() == milliseconds(0)) {
    roll_back({.token = entry.token, .depth = entry.depth, .hold = hold});
    return core::Acquire::unknown;
  }
  depth_changed(*hold, entry.depth);
  if (entry.depth == 1) watchdog_->watch(hold);
  state_->enter({.hold = std::move(hold), .depth = entry.depth});
  return core::Acquire::acquired;
}

void ReentrantLock::roll_back(const Entry& entry) noexcept {
  try {
    (void)leave(entry);
  } catch (const core::ServerError&) {  // the lease will do it
  }
}

void ReentrantLock::mark_lost(const Entry& entry) {
  if (entry.hold) watchdog_->mark_lost(entry.hold);
}

bool ReentrantLock::finish_release() {
  const auto level = current();
  return !level || !level->releasing || release() != core::Release::unknown;
}

void ReentrantLock::leave_inner_level(const Level& level) {
  depth_changed(*level.hold, level.depth - 1);
  state_->leave();
}

void ReentrantLock::abandon_level() {
  const auto level = current();
  if (level && level->depth > 1) leave_inner_level(*level);
}

}  // namespace stage6
