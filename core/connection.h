// One blocking connection to one Redis server (hiredis), with a timeout on everything it does.
//
// Locks do not use it directly: they use `core::Server`, which lends connections to threads.
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
  std::chrono::milliseconds command{1000};  // the longest silence while waiting for a reply
};

class Connection {
 public:
  // Connects. Throws Unreachable if it cannot. Ignores SIGPIPE for the process (core/sigpipe.h).
  Connection(const Address& address, Timeouts timeouts);

  // Sends one command as an argument vector (so keys and tokens may hold any byte) and waits for
  // its reply. An error reply is returned, not thrown. Throws LostReply if no reply came: the
  // command may have been applied, and this connection must not be used again.
  [[nodiscard]] Reply command(std::span<const std::string_view> words);

  // For an idle connection: false if the server has closed it, or has sent something that nobody
  // asked for. Costs one system call.
  [[nodiscard]] bool is_alive() const;

 private:
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  std::string address_;
  std::unique_ptr<redisContext, Free> context_;
  std::string bytes_;  // buffer to encode a command in
};

}  // namespace core
