// Finds the servers of a deployment: by asking its Sentinels for the master, or some
// nodes of a Cluster for the master of a slot.
//
//   core::Server server(
//       core::Address::parse("redis-sentinel://10.0.0.1:26379,10.0.0.2:26379/lock"));
//
// An address with a discovery in it names no server, but asks for one at each connection:
// core/redis/route.h for a thread that waits, core/redis/server_lookup.h for one that does not.
//
// Thread-safety: values, whose copies share `first`, which is atomic. Any thread may call `locate`
// and `distrust`.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/redis/address.h"
#include "core/redis/connection.h"

namespace core {

struct Discovery {
  enum class Kind { sentinel, cluster };
  Kind kind = Kind::sentinel;
  std::vector<Address> asked;  // the Sentinels, or nodes of the Cluster; one that answers is enough
  std::string master = {};     // the name that the Sentinels have for the master

  // The place in `asked` of the one to ask first: the last that named a usable server. So one that
  // is silent costs a time-out once, and not at every lookup. Copies share it.
  std::shared_ptr<std::atomic<std::size_t>> first = std::make_shared<std::atomic<std::size_t>>(0);

  // The server that the one at `place` has just named refused a command: the next is to be asked
  // first. Without effect if another one is first by now: a second thread that was refused there
  // must not move `first` past a server that has refused nothing.
  void distrust(std::size_t place) const;
};

struct Located {
  Address server;
  std::size_t named_by = 0;  // the place in `asked` of the one that named it
};

// The server for `wanted` now, to which a connection could be made, and which says of itself that
// it is a master. `wanted` has a discovery; in a Cluster it is the master of `wanted.slot`, or any
// node if that is -1. Asks one after another, beginning with `first`, until one names such a
// server, which then is the first. Throws AccessDenied or Unreachable, with what the first of them
// said that answered, if none does.
// https://redis.io/docs/latest/develop/reference/sentinel-clients/
[[nodiscard]] Located locate(const Address& wanted, Timeouts timeouts);

}  // namespace core
