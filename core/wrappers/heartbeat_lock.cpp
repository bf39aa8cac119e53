#include "core/wrappers/heartbeat_lock.h"

#include <utility>

namespace core {

HeartbeatLock::HeartbeatLock(Lock& lock, std::string key, std::shared_ptr<Heartbeats> heartbeats,
                             TokenOf token_of)
    : ForwardingLock(lock),
      key_(std::move(key)),
      heartbeats_(std::move(heartbeats)),
      token_of_(std::move(token_of)) {}

// Nobody releases these holds any more: their leases end, and nobody says that they live.
HeartbeatLock::~HeartbeatLock() {
  for (const auto& [thread, token] : tokens_.take_all()) heartbeats_->end(key_, token);
}

Acquire HeartbeatLock::try_acquire() {
  return begin_if(lock_.try_acquire());
}

Acquire HeartbeatLock::acquire(const Waiting& waiting, const std::stop_token& stop) {
  return begin_if(lock_.acquire(waiting, stop));
}

Acquire HeartbeatLock::join(const std::string& hold_token) {
  return begin_if(lock_.join(hold_token));
}

Acquire HeartbeatLock::begin_if(Acquire outcome) {
  if (outcome != Acquire::acquired) return outcome;
  end_if_gone();
  const auto token = token_of_(lock_);
  if (!token || tokens_.get() == token) return outcome;
  tokens_.set(*token);
  heartbeats_->begin(key_, *token);
  return outcome;
}

Release HeartbeatLock::release() {
  const auto outcome = lock_.release();
  if (outcome != Release::unknown) end_if_gone();  // it may be released once more
  return outcome;
}

void HeartbeatLock::abandon_level() {
  ForwardingLock::abandon_level();
  end_if_gone();
}

void HeartbeatLock::end_if_gone() {
  const auto token = tokens_.get();
  if (!token || token_of_(lock_) == token) return;
  heartbeats_->end(key_, *token);
  tokens_.clear();
}

}  // namespace core
