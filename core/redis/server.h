// A Redis server as a lock sees it: send a command or run a script, get a reply. Behind Sentinels,
// or in a Cluster, it is the server that has the key now (core/redis/route.h).
//
// Thread-safety: safe to share. Inside is a pool of connections; each command borrows one, so that
// a thread that waits for its reply does not block another.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "core/redis/address.h"
#include "core/redis/connection_pool.h"
#include "core/redis/reply.h"
#include "core/redis/route.h"
#include "core/redis/script.h"

namespace core {

class Server {
 public:
  // Does not connect: the first command does.
  explicit Server(Address address, Timeouts timeouts = {});

  // Sends one command and returns its reply. Throws Unreachable (never sent), LostReply (may have
  // been applied) or ErrorReply (refused by the server). Ignores SIGPIPE for the process unless it
  // has a handler. In a Cluster its second word has to be its key.
  Reply command(std::initializer_list<std::string_view> words);
  Reply command(std::span<const std::string_view> words);

  // Runs `script` by its SHA-1, and by its text if the server does not know it (a restarted or
  // failed-over server has forgotten every script). Returns its reply; throws as `command` does.
  Reply run(const Script& script, std::initializer_list<std::string_view> keys,
            std::initializer_list<std::string_view> arguments);

  [[nodiscard]] const Address& address() const { return pool_.address(); }

 private:
  [[nodiscard]] Reply exchange(std::span<const std::string_view> words, std::string_view key);

  ConnectionPool pool_;                 // idle for good if there is a route
  const std::unique_ptr<Route> route_;  // null: the address names the server
};

}  // namespace core
