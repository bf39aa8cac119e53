// A server of any kind that keeps a lock: what every scenario can do to it.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <string>

#include "core/redis/address.h"
#include "faults/kit/process.h"

namespace faults {

class LockServer {
 public:
  LockServer() = default;
  virtual ~LockServer() = default;
  LockServer(const LockServer&) = delete;
  LockServer& operator=(const LockServer&) = delete;

  [[nodiscard]] virtual const std::string& name() const = 0;
  // The address that links connect to.
  [[nodiscard]] virtual core::Address address() const = 0;
  [[nodiscard]] virtual Process& process() = 0;
  // True if other servers follow it. Asked while it runs; a single server has no followers.
  [[nodiscard]] virtual bool leads() { return false; }

  // Returns once everything that it announced so far is in the history.
  virtual void catch_up() = 0;

  // SIGKILL.
  virtual void kill() = 0;
  // After a kill: brings it back with the data that it keeps. Throws CannotRun.
  virtual void start() = 0;
  // After a kill: brings it back with nothing, as from a disk that was lost. Throws CannotRun.
  virtual void start_empty() = 0;

  virtual void freeze() { process().freeze(); }
  void thaw() { process().thaw(); }
};

}  // namespace faults
