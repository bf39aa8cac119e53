// A connection that does not block its thread: it queues commands and collects replies, and poll(2)
// says when to go on. For a thread that serves many connections at once; a thread that sends one
// command and waits for its reply uses core/redis/connection.h.
//
//   connection.send({"PING"});
//   poll({.fd = connection.descriptor(), .events = connection.wants()}) → connection.advance();
//   while (auto reply = connection.next()) ...
//
// hiredis connects and parses the replies. This class reads and writes the socket itself, which
// needs fewer system calls. Replies come in the order of the commands. A host name is looked up
// without blocking, and no command is sent before the server has let us in (core/redis/connect.h).
//
// Nothing here throws for a server that cannot be reached: see `broken()`. Thread-safety: none; one
// thread at a time.
#pragma once

#include <hiredis/hiredis.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/redis/address.h"
#include "core/redis/connect.h"
#include "core/redis/reply.h"
#include "core/redis/tls.h"

namespace core {

// The pause before the next try to connect to a server that hung up.
inline constexpr std::chrono::milliseconds reconnect_pause{50};

class AsyncConnection {
 public:
  // Begins to connect and does not wait for the result; a refusal shows as `broken()`, now or
  // later. With TLS it ignores SIGPIPE for the process (core/redis/sigpipe.h).
  explicit AsyncConnection(const Address& address);

  // Queues one command; dropped if the connection is broken.
  void send(std::span<const std::string_view> words);
  // Queues a command that is encoded already (core/redis/command_encoding.h), to send one command
  // to many servers.
  void send_bytes(std::string_view command);

  // The descriptor (-1: none) and the events for poll(2).
  [[nodiscard]] int descriptor() const {
    if (attempt_) return attempt_->descriptor(context_);
    return context_ ? context_->fd : -1;
  }
  [[nodiscard]] short wants() const;

  // Writes queued commands and reads what has arrived, as far as that goes without waiting.
  void advance();
  // The two halves of `advance()`. `receive` reads once; false if nothing had arrived, or if the
  // connection is broken.
  void flush();
  bool receive();

  // Reads once, after waiting at most `time` (> 0, rounded up to the kernel's tick) for something
  // to arrive. False as for `receive`. For a thread with nothing else to wait for: this needs one
  // system call, poll(2) and a read need two.
  bool receive_within(std::chrono::milliseconds time);

  // True while a queued command has not been written completely: the server cannot have acted on
  // that one.
  [[nodiscard]] bool has_unsent() const { return written_ < queued_.size(); }

  // The next reply, or nothing if none has arrived.
  [[nodiscard]] std::optional<Reply> next();

  // True once the connection has failed or ended: every missing reply is lost, and its command may
  // have been applied. Make a new connection then.
  [[nodiscard]] bool broken() const {
    return broken_ || (!attempt_ && (!context_ || context_->err != 0));
  }
  // Which one of a discovery named the server (core::Located), once the connection is open; nothing
  // if the address has no discovery.
  [[nodiscard]] std::optional<std::size_t> named_by() const { return named_by_; }
  // Why the server did not let us in, as one sentence; empty if it did, or is not asked yet.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  // Continues to open the connection; true while commands cannot be sent yet.
  bool is_opening();
  void set_socket_options();
  // Reads once, with these flags of recv(2).
  bool receive(int flags);
  // Both as recv(2) and send(2); encrypted, if need be. -1 with an `errno` that is transient: there
  // was nothing to do yet.
  [[nodiscard]] ssize_t read_some(char* bytes, std::size_t size, int flags);
  [[nodiscard]] ssize_t write_some(std::string_view bytes);

  Context context_;
  std::unique_ptr<TlsSession> tls_;          // null: the bytes travel as they are
  std::unique_ptr<ConnectAttempt> attempt_;  // null: it is open
  std::optional<std::size_t> named_by_;
  std::string failure_;
  std::string bytes_;        // buffer to encode a command in
  std::string queued_;       // commands to write
  std::size_t written_ = 0;  // bytes of `queued_` already written
  bool broken_ = false;      // the connection ended, or its replies are no RESP
  std::chrono::milliseconds receive_timeout_{0};  // the socket's, as last set
};

}  // namespace core
