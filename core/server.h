// A Redis server as a lock sees it: send a command or run a script, get a reply.
//
// Thread-safety: safe to share. Inside is a pool of connections; each command borrows one, so that
// a thread that waits for its reply does not block another. A connection whose reply was lost is
// closed, never reused: its late reply could be taken for the reply to a later command.
#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "core/address.h"
#include "core/connection.h"
#include "core/reply.h"
#include "core/script.h"

namespace core {

class Server {
 public:
  // Does not connect: the first command does.
  explicit Server(Address address, Timeouts timeouts = {});

  // Sends one command and returns its reply. Throws Unreachable (never sent), LostReply (may have
  // been applied) or ErrorReply (refused by the server). Ignores SIGPIPE for the process unless it
  // has a handler.
  Reply command(std::initializer_list<std::string_view> words);
  Reply command(std::span<const std::string_view> words);

  // Runs `script` by its SHA-1, and by its text if the server does not know it (a restarted or
  // failed-over server has forgotten every script). Returns its reply; throws as `command` does.
  Reply run(const Script& script, std::initializer_list<std::string_view> keys,
            std::initializer_list<std::string_view> arguments);

  [[nodiscard]] const Address& address() const { return address_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Idle {
    std::unique_ptr<Connection> connection;
    Clock::time_point since;
  };

  [[nodiscard]] Reply exchange(std::span<const std::string_view> words);
  [[nodiscard]] std::unique_ptr<Connection> borrow();
  void give_back(std::unique_ptr<Connection> connection);

  const Address address_;
  const Timeouts timeouts_;
  std::mutex mutex_;
  std::vector<Idle> idle_;  // guarded by mutex_
};

}  // namespace core
