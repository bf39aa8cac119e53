// A connection that never makes its thread wait: commands are queued, replies are collected, and
// poll(2) says when there is something to do. For a thread that looks after many servers at once.
//
//   channel.send({"PING"});
//   poll({.fd = channel.descriptor(), .events = channel.wants()}) → channel.advance();
//   while (auto reply = channel.next()) ...
//
// hiredis connects and understands the replies; the bytes are carried here, so that the kernel is
// asked no more often than needed. Replies come in the order of the commands. Thread-safety: none;
// one thread.
#pragma once

#include <hiredis/hiredis.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/address.h"
#include "core/reply.h"

namespace core {

// For who keeps one open to a server that hung up: how long to wait before the next try.
inline constexpr std::chrono::milliseconds reconnect_pause{50};

class Channel {
 public:
  // Begins to connect and does not wait for it; a refusal shows as `broken()`, now or later. A host
  // that is named, not numbered, is looked up first, and that waits for the resolver: where a
  // thread must never wait, write the address in numbers.
  explicit Channel(const Address& address);

  // Queues one command.
  void send(std::span<const std::string_view> words);
  // The same, of a command that is bytes already (wire.h): for who sends one to many servers.
  void send_bytes(std::string_view command);

  // For poll(2).
  [[nodiscard]] int descriptor() const { return context_ ? context_->fd : -1; }
  [[nodiscard]] short wants() const;

  // Writes what is queued and reads what has come, as far as that goes without waiting.
  void advance();
  // The two apart, for who knows that there is only one of them to do; `receive` reads once. False:
  // nothing had come, or the connection is broken.
  void flush();
  bool receive();

  // Reads once, and waits for something to read, but not for longer than `time` (more than 0),
  // rounded up to the kernel's tick: where there is nothing else to wait for, this asks the kernel
  // once, and poll(2) and reading twice.
  bool receive_within(std::chrono::milliseconds time);

  // Something is queued that has not been written: the server cannot have acted on it.
  [[nodiscard]] bool has_unsent() const { return written_ < queued_.size(); }

  // The next reply, if one has come.
  [[nodiscard]] std::optional<Reply> next();

  // The connection is gone: every reply that has not come is lost, its command may have been
  // applied. Make a new channel.
  [[nodiscard]] bool broken() const { return !context_ || context_->err != 0 || broken_; }

 private:
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  // Reads once, as `flags` of recv(2) say.
  bool receive(int flags);

  std::unique_ptr<redisContext, Free> context_;
  std::string bytes_;        // the last command's
  std::string queued_;       // what is to be written
  std::size_t written_ = 0;  // of it
  bool broken_ = false;      // the connection has ended, or something came that is no reply
  std::chrono::milliseconds patience_{0};  // of the socket, where it waits
};

}  // namespace core
