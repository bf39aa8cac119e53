#include "core/redis/connection_pool.h"

#include <utility>

namespace core {

ConnectionPool::ConnectionPool(Address address, Timeouts timeouts)
    : address_(std::move(address)), timeouts_(timeouts) {}

std::unique_ptr<Connection> ConnectionPool::borrow() {
  // A connection that was idle for longer is checked first, so that a server that restarted
  // meanwhile does not cost an "unknown". The check is a system call, saved for a fresh one.
  constexpr std::chrono::milliseconds fresh{100};
  for (;;) {
    Idle idle;
    {
      const std::lock_guard guard(mutex_);
      if (idle_.empty()) break;
      idle = std::move(idle_.back());
      idle_.pop_back();
    }
    if (Clock::now() - idle.since < fresh || idle.connection->is_alive()) {
      return std::move(idle.connection);
    }
  }
  return std::make_unique<Connection>(address_, timeouts_);
}

void ConnectionPool::give_back(std::unique_ptr<Connection> connection) {
  const std::lock_guard guard(mutex_);
  idle_.push_back({.connection = std::move(connection), .since = Clock::now()});
}

}  // namespace core
