// One blocking connection to one Redis server, with a timeout on everything it does.
//
// hiredis connects and parses the replies. The socket is written and read here: hiredis copies each
// command first, into a buffer that it allocates for it.
//
// Locks do not use it directly: they use `core::Server`, which lends connections to threads.
// Thread-safety: none; one thread at a time.
#pragma once

#include <hiredis/hiredis.h>

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/redis/address.h"
#include "core/redis/reply.h"
#include "core/redis/tls.h"

namespace core {

struct Timeouts {
  std::chrono::milliseconds connect{1000};  // to open the connection
  std::chrono::milliseconds command{1000};  // the longest silence while waiting for a reply
};

class Connection {
 public:
  // Connects, and proves who it is. Throws Unreachable if it cannot, and AccessDenied if it may
  // not. Ignores SIGPIPE for the process (core/redis/sigpipe.h).
  Connection(const Address& address, Timeouts timeouts);

  // Sends one command as an argument vector (so keys and tokens may hold any byte) and waits for
  // its reply. An error reply is returned, not thrown. Throws LostReply if no reply came: the
  // command may have been applied, and this connection must not be used again.
  [[nodiscard]] Reply command(std::span<const std::string_view> words);

  // The two halves of `command`. `send` may send a second command in the same packet;
  // each needs a `receive`, where `what` names it in the error. Both throw LostReply.
  void send(std::span<const std::string_view> words, std::span<const std::string_view> second = {});
  [[nodiscard]] Reply receive(std::string_view what);

  // For an idle connection: false if the server has closed it, or has sent something unasked. Costs
  // one system call.
  [[nodiscard]] bool is_alive() const;

 private:
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  // Opens the socket: to the first of the host's addresses that takes it.
  void open(const Address& address, std::chrono::milliseconds limit);
  void encrypt(const Address& address, std::chrono::milliseconds limit);
  void set_up(const Address& address);
  [[nodiscard]] LostReply lost_reply(std::string_view what) const;
  // False, with `reason_`: the connection is broken.
  [[nodiscard]] bool write(std::string_view bytes);
  [[nodiscard]] bool write_encrypted(std::string_view bytes);
  // The next reply; null, with `reason_`, if none came.
  [[nodiscard]] redisReply* read();
  [[nodiscard]] redisReply* read_encrypted();
  // True, with `reason_`, if the session has failed, or `until` has passed without progress.
  [[nodiscard]] bool is_broken(TlsSession::Progress progress,
                               std::chrono::steady_clock::time_point until);
  // Has send(2) or recv(2) failed with `result`? Notes the reason.
  [[nodiscard]] bool is_broken(ssize_t result);
  [[nodiscard]] redisReply* next_reply();

  std::string address_;
  std::unique_ptr<redisContext, Free> context_;
  std::optional<TlsSession> tls_;
  std::chrono::milliseconds longest_silence_;
  std::string bytes_;   // buffer to encode a command in
  std::string reason_;  // why there is no reply
  bool was_answered_ = false;
};

}  // namespace core
