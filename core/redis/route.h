// Routes each command to the server that has its key now, with Sentinels or in a Cluster.
//
// The place of the master, or of a slot's, is asked for once (core/redis/discovery.h) and
// remembered. It is asked for again when no server listens there, when a reply was lost there, or
// when the server says that it cannot be used now (core/redis/redirection.h). A Cluster's
// redirections are followed.
//
// Thread-safety: safe to share.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

#include "core/redis/address.h"
#include "core/redis/connection_pool.h"
#include "core/redis/redirection.h"
#include "core/redis/reply.h"

namespace core {

class Route {
 public:
  // Does not connect: the first command does. `deployment` has a discovery.
  Route(Address deployment, Timeouts timeouts);

  // Sends a command to the server that has `key`, and returns its reply, which may be an error. If
  // the server cannot be used, each Sentinel or node is asked once for another server.
  // Throws Unreachable, AccessDenied or LostReply, and ErrorReply if the servers of a Cluster send
  // it on more than `most_redirections` times.
  [[nodiscard]] Reply exchange(std::span<const std::string_view> words, std::string_view key);

  static constexpr int most_redirections = 5;

 private:
  struct Place {
    int slot = -1;  // -1: there are no slots
    Address server;
    bool is_new = false;  // it has just been asked for, or a redirection points there
    std::optional<std::size_t> named_by = {};  // if it has just been asked for: core::Located
    bool asking = false;                       // only this command goes there
  };

  [[nodiscard]] Place place_of(std::string_view key);
  [[nodiscard]] Place find_anew(int slot);
  void remember(const Place& place);
  void forget(const Place& place);
  // Follows the redirection `there`.
  void follow(const Redirection& there, Place& place);
  // Looks the place up again, since the server there cannot be used.
  [[nodiscard]] Place look_again(const Place& place);

  // Sends it to `place`, or to where its key is now if no server listens there.
  [[nodiscard]] Reply send(Place& place, std::span<const std::string_view> words);
  [[nodiscard]] Reply send_there(const Place& place, std::span<const std::string_view> words);
  [[nodiscard]] std::shared_ptr<ConnectionPool> pool_of(const Address& server);

  const Address deployment_;
  const Timeouts timeouts_;
  std::mutex mutex_;
  std::map<int, Address> known_;                              // by slot; guarded by mutex_
  std::map<Address, std::shared_ptr<ConnectionPool>> pools_;  // guarded by mutex_
};

}  // namespace core
