// The program a stage ships around its lock: a lock client in a process of its own, so that it can
// be frozen, killed and cut off for real.
//
// It is spoken to in JSON, one object a line, on its standard input, and answers on its standard
// output: docs/client-protocol.md. Each stage's `client.cpp` is nothing but a call of `serve`.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/lock.h"
#include "core/server.h"

namespace client {

struct Identity {
  std::string stage;                      // the stage's directory name
  std::vector<std::string> capabilities;  // words of docs/client-protocol.md, section "hello"
};

// What an acquire asks for.
struct LeaseWish {
  std::chrono::milliseconds lease{0};  // a stage without leases ignores it
  bool renewed = false;  // nobody named a lease: this is the default, and a watchdog may renew it
  std::optional<std::chrono::milliseconds> max_hold = {};  // how long a watchdog may renew it
  auto operator<=>(const LeaseWish&) const = default;
};

// Makes the stage's lock on `key`.
using MakeLock = std::function<std::unique_ptr<core::Lock>(core::Server& server, std::string key,
                                                           const LeaseWish& wish)>;

// The same for a lock on several servers: `nodes` are their addresses, `timeout` the longest
// silence of one of them.
using MakeQuorumLock = std::function<std::unique_ptr<core::Lock>(
    const std::vector<core::Address>& nodes, std::chrono::milliseconds timeout, std::string key,
    const LeaseWish& wish)>;

// Reads its addresses from the environment, then serves requests until `bye`, the end of standard
// input, or SIGTERM; whatever is held then is given back. Returns the process's exit code: 0, or 2
// with one sentence on standard error if the environment is not as the protocol says.
int serve(const Identity& identity, const MakeLock& make_lock);
int serve_quorum(const Identity& identity, const MakeQuorumLock& make_lock);

}  // namespace client
