#include "stage3_set_nx_px/lock.h"

#include <utility>

#include "core/error.h"
#include "core/lease.h"
#include "core/token.h"

namespace stage3 {

Lock::Lock(core::Server& server, std::string key, std::chrono::milliseconds lease)
    : server_(server), key_(std::move(key)), lease_(core::checked_lease(lease)) {}

core::Acquire Lock::try_acquire() {
  const auto token = core::random_token();
  try {
    // Right in another way than ours: a script is one step as well.
    const auto set = server_.command(
        {"EVAL",
         "if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end "
         "redis.call('SET', KEYS[1], ARGV[1]) redis.call('PEXPIRE', KEYS[1], ARGV[2]) return 1",
         "1", key_, token, std::to_string(lease_.count())});
    if (set.integer() != 1) return core::Acquire::contended;
    token_.set(token);
    return core::Acquire::acquired;
  } catch (const core::LostReply&) {
    roll_back(token);
    return core::Acquire::unknown;
  }
}

core::Release Lock::release() {
  const auto token = token_.get();
  if (!token) return core::Release::not_held;
  try {
    const auto outcome = leave(*token);
    token_.clear();
    return outcome;
  } catch (const core::LostReply&) {
    return core::Release::unknown;
  }
}

core::Release Lock::leave(const std::string& token) {
  const auto holder = server_.command({"GET", key_});
  if (holder.is_nil()) return core::Release::expired;
  if (holder.text() != token) return core::Release::stolen;
  // Weakness: the answer to GET may be out of date. If the lease ends right here and a successor
  // acquires the lock, this removes the successor's lock.
  const auto removed = server_.command({"DEL", key_});
  return removed.integer() == 1 ? core::Release::released : core::Release::expired;
}

void Lock::roll_back(const std::string& token) noexcept {
  try {
    (void)leave(token);
  } catch (const core::ServerError&) {  // the lease will do it
  }
}

}  // namespace stage3
