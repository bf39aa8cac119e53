// The program a stage ships around its lock: a lock client in a process of its own, so that it can
// be frozen, killed and cut off for real.
//
// It reads requests from its standard input, one JSON object a line, and writes answers to its
// standard output: docs/client-protocol.md. Each stage's `client.cpp` is one call of `serve`.
//
// Thread-safety: call `serve` once, from `main`, before any other thread starts.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/lock.h"
#include "core/redis/server.h"

namespace client {

struct Identity {
  std::string stage;                      // the stage's directory, or the lock's name
  std::vector<std::string> capabilities;  // words of docs/client-protocol.md, section "hello"
  std::string library = {};  // the version of the library that brings the lock; a stage has none
  // Outcomes that the library does not tell apart, each with what it says instead, such as
  // "not_mine".
  std::map<core::Release, std::string> release_says = {};
};

// The lease that an acquire asks for.
struct LeaseRequest {
  std::chrono::milliseconds lease{0};  // a stage without leases ignores it
  bool renewed = false;  // no lease was named: this is the default, and a watchdog may renew it
  std::optional<std::chrono::milliseconds> max_hold = {};  // how long a watchdog may renew it

  // The same as the options of a lock with a watchdog (stage5::Options, or like them).
  template <typename Options>
  [[nodiscard]] Options options() const {
    Options options{.max_hold = max_hold};
    if (renewed) {
      options.default_lease = lease;
    } else {
      options.lease = lease;
    }
    return options;
  }

  auto operator<=>(const LeaseRequest&) const = default;
};

// Makes the stage's lock on `key`. `server` outlives it.
using MakeLock = std::function<std::unique_ptr<core::Lock>(core::Server& server, std::string key,
                                                           const LeaseRequest& request)>;

// Makes a lock on several servers: `nodes` are their addresses, `timeout` the longest silence of
// one of them.
using MakeQuorumLock = std::function<std::unique_ptr<core::Lock>(
    const std::vector<core::Address>& nodes, std::chrono::milliseconds timeout, std::string key,
    const LeaseRequest& request)>;

// Reads its addresses from the environment, then serves requests until `bye`, the end of standard
// input, or SIGTERM, and releases every lock it still holds. Returns the process's exit code: 0, or
// 2 with one sentence on standard error if the environment is not as the protocol says.
int serve(const Identity& identity, const MakeLock& make_lock);
int serve_quorum(const Identity& identity, const MakeQuorumLock& make_lock);

}  // namespace client
