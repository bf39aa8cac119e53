// Connections to one server, to lend to threads: each borrows one for as long as it waits for its
// reply. A connection whose reply was lost is not given back: its late reply could be taken for the
// reply to a later command.
//
// Thread-safety: safe to share.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "core/redis/address.h"
#include "core/redis/connection.h"

namespace core {

class ConnectionPool {
 public:
  // Does not connect: `borrow` does. `address` names a server (it has no discovery).
  ConnectionPool(Address address, Timeouts timeouts);

  // An idle connection, or a new one. Throws Unreachable or AccessDenied.
  [[nodiscard]] std::unique_ptr<Connection> borrow();
  void give_back(std::unique_ptr<Connection> connection);

  [[nodiscard]] const Address& address() const { return address_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Idle {
    std::unique_ptr<Connection> connection;
    Clock::time_point since;
  };

  const Address address_;
  const Timeouts timeouts_;
  std::mutex mutex_;
  std::vector<Idle> idle_;  // guarded by mutex_
};

}  // namespace core
