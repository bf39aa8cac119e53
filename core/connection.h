// One connection to one Redis server (hiredis), with a deadline on everything it does.
//
// Locks do not use it directly: they talk to a `core::Server`, which lends connections to threads.
// Thread-safety: none; one thread at a time.
#pragma once

#include <hiredis/hiredis.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/address.h"
#include "core/reply.h"

namespace core {

struct Timeouts {
  std::chrono::milliseconds connect{1000};  // to open the connection
  std::chrono::milliseconds command{1000};  // the longest silence while a reply is awaited
};

class Connection {
 public:
  // Connects. Throws Unreachable.
  Connection(const Address& address, Timeouts timeouts);

  // Sends one command as an argument vector (so keys and tokens may hold any byte) and waits for
  // its reply. An error reply is returned, not thrown. Throws LostReply if the reply did not come:
  // the command may have been applied, and this connection is of no further use.
  [[nodiscard]] Reply command(std::span<const std::string_view> words);

  // False when the other side has hung up while the connection lay idle. Costs one system call.
  [[nodiscard]] bool is_alive() const;

 private:
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  std::string where_;
  std::unique_ptr<redisContext, Free> context_;
  std::string bytes_;  // the last command's
};

}  // namespace core
