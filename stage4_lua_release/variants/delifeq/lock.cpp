#include "stage4_lua_release/lock.h"

#include <utility>

#include "core/error.h"
#include "core/lease.h"
#include "core/token.h"

namespace stage4 {

Lock::Lock(core::Server& server, std::string key, std::chrono::milliseconds lease)
    : server_(server), key_(std::move(key)), lease_(core::checked_lease(lease)) {}

core::Acquire Lock::try_acquire() {
  const auto token = core::random_token();
  try {
    // Sets key and lease in one step, only if the key is absent; answers nil if it was there:
    // https://redis.io/docs/latest/commands/set/
    const auto set =
        server_.command({"SET", key_, token, "NX", "PX", std::to_string(lease_.count())});
    if (!set.is_ok()) return core::Acquire::contended;
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
  // Removes the key if its value is the token, as one step. Its 0 means that the hold has ended,
  // and not whether another client has the lock now:
  // https://valkey.io/commands/delifeq/
  const auto removed = server_.command({"DELIFEQ", key_, token});
  if (removed.integer() == 1) return core::Release::released;
  const auto holder = server_.command({"GET", key_});
  return holder.is_nil() ? core::Release::expired : core::Release::stolen;
}

void Lock::roll_back(const std::string& token) noexcept {
  try {
    (void)leave(token);
  } catch (const core::ServerError&) {  // the lease will do it
  }
}

}  // namespace stage4
