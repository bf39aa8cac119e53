#include "stage6_reentrant/reentrant_lock.h"

#include <utility>

#include "core/error.h"
#include "core/token.h"

namespace stage6 {

using std::chrono::milliseconds;

namespace {

// One level deeper in the same hold.
Entry level_above(const Level& level) {
  return {.token = level.hold->token(), .depth = level.depth + 1, .hold = level.hold};
}

}  // namespace

ReentrantLock::ReentrantLock(const std::string& server, const std::string& key)
    : state_(ReentryState::of(server, key)) {}

core::Acquire ReentrantLock::try_acquire() {
  if (!finish_release()) return core::Acquire::unknown;
  const auto level = current();
  if (level && level->hold->remaining() > milliseconds(0)) {
    const auto outcome = enter_once(level_above(*level));
    // Contended with itself: the thread's own hold has turned out to be over.
    const bool over =
        outcome == core::Acquire::contended && level->hold->remaining() == milliseconds(0);
    if (!over) return outcome;
  }
  return enter_once({.token = core::random_token(), .begins = true});
}

core::Acquire ReentrantLock::join(const std::string& hold_token) {
  if (!finish_release()) return core::Acquire::unknown;
  const bool inside = this->hold_token() == hold_token;
  return enter_once(inside ? level_above(*current()) : Entry{.token = hold_token});
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
    if (outermost) watchdog_->forget(level->hold);
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

core::Acquire ReentrantLock::enter_once(const Entry& entry) {
  try {
    return enter(entry);
  } catch (const core::LostReply&) {
    roll_back(entry);
    return core::Acquire::unknown;
  }
}

core::Acquire ReentrantLock::entered(const Entry& entry, std::shared_ptr<Hold> hold,
                                     milliseconds lease, Clock::time_point asked) {
  hold->extend(lease, asked);
  if (hold->remaining() == milliseconds(0)) {
    roll_back({.token = entry.token, .depth = entry.depth, .hold = hold});
    return core::Acquire::unknown;
  }
  if (entry.depth == 1) watchdog_->watch(hold);
  state_->enter({.hold = std::move(hold), .depth = entry.depth});
  return core::Acquire::acquired;
}

core::Acquire ReentrantLock::is_over(const Entry& entry) {
  if (entry.hold) watchdog_->mark_lost(entry.hold);
  return core::Acquire::contended;
}

void ReentrantLock::roll_back(const Entry& entry) noexcept {
  try {
    (void)leave(entry);
  } catch (const core::ServerError&) {  // the lease will do it
  }
}

bool ReentrantLock::finish_release() {
  const auto level = current();
  return !level || !level->releasing || release() != core::Release::unknown;
}

void ReentrantLock::abandon_level() {
  const auto level = current();
  if (level && level->depth > 1) state_->leave();
}

}  // namespace stage6
