// Your lock. A holder keeps everybody else out until it gives the lock back.
#pragma once

#include <string>

#include "core/lock.h"
#include "core/redis/server.h"

namespace stage1 {

class Lock : public core::Lock {
 public:
  // `server` must outlive the lock. Locks with the same `key` exclude each other.
  Lock(core::Server& server, std::string key);

  // Tries once. `acquired`: this caller has it; `contended`: somebody else does; `unknown`: the
  // answer never came.
  [[nodiscard]] core::Acquire try_acquire() override;

  // `released`; `not_held` if there was nothing to give back; `unknown` if the answer never came.
  [[nodiscard]] core::Release release() override;

 private:
  core::Server& server_;
  const std::string key_;
};

static_assert(core::TimedLockable<Lock>);

}  // namespace stage1
