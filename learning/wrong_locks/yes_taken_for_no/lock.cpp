#include "stage1_setnx/lock.h"

#include <utility>

#include "core/error.h"

namespace stage1 {

Lock::Lock(core::Server& server, std::string key) : server_(server), key_(std::move(key)) {}

core::Acquire Lock::try_acquire() {
  try {
    // Answers 1 if it set the key, 0 if the key was there:
    // https://redis.io/docs/latest/commands/setnx/
    const auto set = server_.command({"SETNX", key_, "held"});
    if (!set.is_ok()) return core::Acquire::contended;
    // Weakness: a holder that dies from here on leaves the key behind, and nobody ever removes it.
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

}  // namespace stage1
