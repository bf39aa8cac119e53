#include "stage2_expire/lock.h"

#include <utility>

#include "core/error.h"
#include "core/lease.h"

namespace stage2 {

Lock::Lock(core::Server& server, std::string key, std::chrono::milliseconds lease)
    : server_(server), key_(std::move(key)), lease_(core::checked_lease(lease)) {}

core::Acquire Lock::try_acquire() {
  try {
    // Answers 1 if it set the key, 0 if the key was there:
    // https://redis.io/docs/latest/commands/setnx/
    server_.command({"PEXPIRE", key_, std::to_string(lease_.count())});
    const auto set = server_.command({"SETNX", key_, "held"});
    if (set.integer() == 0) return core::Acquire::contended;
    // Weakness: a holder that dies right here leaves the key behind without a lease. So does an
    // error of the next command, which the caller sees as an exception.
    // PEXPIRE is EXPIRE in milliseconds: https://redis.io/docs/latest/commands/pexpire/
    return core::Acquire::acquired;
  } catch (const core::LostReply&) {
    return core::Acquire::unknown;
  }
}

core::Release Lock::release() {
  try {
    // Answers how many keys it removed: https://redis.io/docs/latest/commands/del/
    // Weakness: it removes the key no matter who set it.
    const auto removed = server_.command({"DEL", key_});
    return removed.integer() == 1 ? core::Release::released : core::Release::not_held;
  } catch (const core::LostReply&) {
    return core::Release::unknown;
  }
}

}  // namespace stage2
