// Stage 1: `SETNX` to acquire the lock, `DEL` to release it.
//
// Gained: mutual exclusion. Missing: a holder that dies leaves the lock behind for ever, and
// nothing ties the lock to its holder: anyone's `DEL` frees it.
#pragma once

#include <string>

#include "core/lock.h"
#include "core/redis/server.h"

namespace stage1 {

class Lock : public core::Lock {
 public:
  // `server` must outlive the lock. Locks with the same `key` exclude each other.
  Lock(core::Server& server, std::string key);

  // One command. `unknown` leaves the lock held for ever if the command was applied: with no token
  // to tell our lock from a stranger's, there is no safe way to undo it.
  [[nodiscard]] core::Acquire try_acquire() override;

  // One command. Frees the lock, no matter whose it is.
  [[nodiscard]] core::Release release() override;

 private:
  core::Server& server_;
  const std::string key_;
};

static_assert(core::TimedLockable<Lock>);

}  // namespace stage1
