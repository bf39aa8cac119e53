// Stage 2: `SETNX`, then `EXPIRE`, to acquire the lock; `DEL` to release it.
//
// Gained: a lease, so that a dead holder's lock comes free. Missing: the lease is set by a second
// command that may never be sent, and nothing ties the lock to its holder: anyone's `DEL` frees it,
// and so does a holder's own `DEL` after its lease has ended.
#pragma once

#include <chrono>
#include <string>

#include "core/lock.h"
#include "core/redis/server.h"

namespace stage2 {

class Lock : public core::Lock {
 public:
  // `server` must outlive the lock. Locks with the same `key` exclude each other, each for at most
  // `lease`. Throws std::invalid_argument unless 0 < `lease` <= 100 years.
  Lock(core::Server& server, std::string key, std::chrono::milliseconds lease);

  // Two commands, or one when contended. `unknown` leaves the lock held for ever if the first was
  // applied and the second was not: with no token to tell our lock from a stranger's, there is no
  // safe way to undo it.
  [[nodiscard]] core::Acquire try_acquire() override;

  // One command. Frees the lock, no matter whose it is.
  [[nodiscard]] core::Release release() override;

 private:
  core::Server& server_;
  const std::string key_;
  const std::chrono::milliseconds lease_;
};

static_assert(core::TimedLockable<Lock>);

}  // namespace stage2
