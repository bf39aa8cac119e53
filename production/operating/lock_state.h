// The state of a lock on a live server, for an operator: read from its keys, without the program
// that holds it. Knows the keys of stages 3 to 8 and of the fair queue.
//
// Nothing here writes. One key is read in one step of the server; a search goes through the keys in
// small steps (SCAN), so that other clients of a server with many locks are not held up.
// Thread-safety: values, and functions that may be called from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/redis/server.h"

namespace operating {

struct LockState {
  enum class Kind {
    free,      // there is no such key
    held,      // by the hold with this token
    nameless,  // a text too short to be a token: one holder looks like the next (stages 1 and 2)
    no_lock,   // a key of another kind
  };

  std::string key;
  Kind kind = Kind::free;
  std::string type;                                // of the key, in the server's words
  std::string token;                               // of the hold
  std::string who;                                 // host and process; empty: the lock does not say
  std::optional<std::chrono::seconds> age;         // of the hold, by the server's clock
  std::size_t participants = 1;                    // threads that are inside
  int depth = 1;                                   // the deepest of them
  std::optional<std::chrono::milliseconds> left;   // nothing: it has no lease
  std::optional<std::chrono::milliseconds> lease;  // the whole of it, if the lock says so
  std::optional<std::uint64_t> fencing;            // the hold's fencing token
  std::size_t waiting = 0;                         // in line
  std::vector<std::string> waiters;                // the first of them: host and process
  std::size_t listening = 0;  // processes that listen for a release: they have waited, or wait
};

// Reads the lock `key`. Throws what `core::Server::command` throws.
[[nodiscard]] LockState look_at(core::Server& server, const std::string& key);

struct FoundLocks {
  std::vector<LockState> held;  // by key
  std::size_t nameless = 0;     // texts that are too short to be tokens: they may be locks, too
};

// Reads every lock whose key fits `pattern`, as SCAN understands it
// (https://redis.io/docs/latest/commands/scan/); other keys are passed over.
[[nodiscard]] FoundLocks look_at_all(core::Server& server, std::string_view pattern);

enum class Freed {
  removed,  // and whoever waits was told
  gone,     // nobody holds it any more
  changed,  // another client holds it by now: nothing was done
};

// Ends the hold that `seen` shows, and no other. Its holder is not stopped. Throws
// std::invalid_argument unless `seen` shows a hold with a token.
[[nodiscard]] Freed free_hold(core::Server& server, const LockState& seen);

}  // namespace operating
