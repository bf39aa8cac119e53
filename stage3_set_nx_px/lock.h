// Stage 3: `SET key token NX PX lease` to acquire the lock; `GET`, compare, `DEL` to release it.
//
// Gained: the lock and its lease arrive in one step, and a token ties the lock to its holder.
// Missing: between `GET` and `DEL` the lease can end and a successor acquire the lock; then the
// `DEL` removes the successor's lock.
#pragma once

#include <chrono>
#include <string>

#include "core/lock.h"
#include "core/per_thread.h"
#include "core/redis/server.h"

namespace stage3 {

class Lock : public core::Lock {
 public:
  // `server` must outlive the lock. Locks with the same `key` exclude each other, each for at most
  // `lease`. Throws std::invalid_argument unless 0 < `lease` <= 100 years.
  Lock(core::Server& server, std::string key, std::chrono::milliseconds lease);

  // One command. Before it returns `unknown` it tries once to roll back what it may hold; if that
  // fails too, the lock comes free after at most one lease.
  [[nodiscard]] core::Acquire try_acquire() override;

  // Two commands, one if the lock is no longer ours, none if the calling thread holds nothing.
  // After `unknown` it may be asked again.
  [[nodiscard]] core::Release release() override;

 private:
  // Removes the lock, if `token` still names its hold.
  [[nodiscard]] core::Release leave(const std::string& token);
  // After a lost reply: removes what may have been set under `token`, if that is possible.
  void roll_back(const std::string& token) noexcept;

  core::Server& server_;
  const std::string key_;
  const std::chrono::milliseconds lease_;
  core::PerThread<std::string> token_;  // identifies the calling thread's hold
};

static_assert(core::TimedLockable<Lock>);

}  // namespace stage3
