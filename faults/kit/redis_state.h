// The state that clients can leave on a Redis server, and how it is put back.
//
// A server that serves one world after the other has to meet each as a fresh one would: a cell of a
// sweep that found a key, a script or a setting of an earlier one would be judged by it.
// Thread-safety: none; one thread per server.
#pragma once

#include <map>
#include <string>

#include "core/redis/server.h"

namespace faults {

// By name: "keys db0", "number_of_cached_scripts", "connected_clients", "config maxmemory",
// "user default". What a server has none of, such as keys, has no entry, or a 0.
using RedisState = std::map<std::string, std::string>;

// Throws core::ServerError.
[[nodiscard]] RedisState state_of(core::Server& server);

// Ends all its clients but this one; has it forget keys, scripts, functions and statistics; sets
// what they configured, and what users may do, to what it was. What cannot be put back stays.
// Returns what it has now. Throws core::ServerError.
[[nodiscard]] RedisState put_back(core::Server& server, const RedisState& as_it_was);

// Lists what is new or has changed: "keys db0 is keys=1,expires=0 (was: none)". Empty if there is
// nothing.
[[nodiscard]] std::string left_over(const RedisState& as_it_was, const RedisState& now);

}  // namespace faults
