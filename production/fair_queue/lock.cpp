#include "production/fair_queue/lock.h"

#include "core/error.h"

namespace fair_queue {

using core::Acquire;
using core::Release;
using std::chrono::milliseconds;

Lock::Lock(core::Lock& lock, core::Server& server, const std::string& key, Options options)
    : ForwardingLock(lock),
      position_(options.position),
      // In a Cluster PUBLISH counts the listeners of one node: that which has the key.
      line_(std::make_shared<LineServers>(server), {server.address().for_key(key)}, key) {}

Lock::Lock(core::Lock& lock, const std::vector<core::Address>& servers, const std::string& key,
           Options options)
    : ForwardingLock(lock),
      position_(options.position),
      line_(LineServers::of(servers, options.patience), servers, key) {}

Acquire Lock::try_acquire() {
  const bool was_inside = is_inside();
  return entered(lock_.try_acquire(), was_inside);
}

Acquire Lock::join(const std::string& hold_token) {
  const bool was_inside = is_inside();
  return entered(lock_.join(hold_token), was_inside);
}

Acquire Lock::entered(Acquire outcome, bool was_inside) {
  if (outcome == Acquire::acquired && was_inside) line_.entered_again();
  return outcome;
}

Release Lock::release() {
  auto leaving = line_.start_to_leave();
  const auto outcome = lock_.release();
  if (outcome == Release::unknown || outcome == Release::not_held) return outcome;
  if (is_inside()) {
    line_.left_level();
  } else {
    line_.finish_leaving(std::move(leaving));
  }
  return outcome;
}

Acquire Lock::try_or_enqueue() {
  if (is_inside()) return try_acquire();
  try {
    if (!line_.is_my_turn(position_)) return Acquire::contended;
    const auto outcome = lock_.try_acquire();
    if (outcome == Acquire::acquired) line_.acquired();
    if (outcome == Acquire::contended) line_.refused();
    if (outcome == Acquire::unknown) line_.give_up();
    return outcome;
  } catch (const core::LostReply&) {  // of the line's server
    line_.give_up();
    return Acquire::unknown;
  } catch (...) {
    line_.give_up();
    throw;
  }
}

bool Lock::pause(core::Waiting::Duration time, const std::stop_token& stop) {
  try {
    return line_.pause(time, stop);
  } catch (...) {
    line_.give_up();
    throw;
  }
}

void Lock::cancel_wait() noexcept {
  line_.give_up();
}

bool Lock::is_inside() const {
  return lock_.remaining().value_or(milliseconds(0)) > milliseconds(0);
}

}  // namespace fair_queue
