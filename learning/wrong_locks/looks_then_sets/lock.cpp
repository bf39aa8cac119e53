#include "stage1_setnx/lock.h"

#include <utility>

#include "core/error.h"

namespace stage1 {

Lock::Lock(core::Server& server, std::string key) : server_(server), key_(std::move(key)) {}

core::Acquire Lock::try_acquire() {
  try {
    const auto holder = server_.command({"GET", key_});
    if (!holder.is_nil()) return core::Acquire::contended;
    server_.command({"SET", key_, "held"});
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
