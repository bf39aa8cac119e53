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

// Right in another way than ours: what is watched makes EXEC answer nil if it was changed since.
// https://redis.io/docs/latest/develop/interact/transactions/
core::Release Lock::leave(const std::string& token) {
  server_.command({"WATCH", key_});
  const auto holder = server_.command({"GET", key_});
  const bool is_gone = holder.is_nil();
  if (is_gone || holder.text() != token) {
    server_.command({"UNWATCH"});
    return is_gone ? core::Release::expired : core::Release::stolen;
  }
  server_.command({"MULTI"});
  server_.command({"DEL", key_});
  const auto done = server_.command({"EXEC"});
  if (done.is_nil()) return core::Release::expired;
  return done.integer(0) == 1 ? core::Release::released : core::Release::expired;
}

void Lock::roll_back(const std::string& token) noexcept {
  try {
    (void)leave(token);
  } catch (const core::ServerError&) {  // the lease will do it
  }
}

}  // namespace stage4
