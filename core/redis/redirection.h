// An error reply that says: ask another server.
//   MOVED SLOT HOST:PORT   from now on
//   ASK SLOT HOST:PORT     only now, while the slot moves: send ASKING first
//   READONLY …             this is a replica
//   MASTERDOWN …           this is a replica, and has lost its master
//   CLUSTERDOWN …          this node does not know who has the slot, or is cut off
//   LOADING …              this server has just started
// The last four name no other server: its address has to be asked for (core/redis/discovery.h).
// https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#redirection-and-resharding
//
// Thread-safety: a value, and a function that any thread may call.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/redis/reply.h"

namespace core {

// Does this error, as the server sent it, say that the server is there and cannot serve: is it one
// of the last three? READONLY says something else: the replica is in order, and its master may well
// serve all others.
[[nodiscard]] bool says_away(std::string_view error);

struct Redirection {
  enum class Kind { moved, ask, unusable };
  Kind kind = Kind::moved;
  std::string host = {};  // empty: the host that was asked
  int port = 0;           // 0: not said

  // Nothing for any other reply.
  [[nodiscard]] static std::optional<Redirection> in(const Reply& reply);
};

}  // namespace core
