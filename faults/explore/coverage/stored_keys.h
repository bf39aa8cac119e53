// All keys of a server with their data, in parts that a person can read: a StoredKey each.
//
// Thread-safety: pure functions; a server is safe to share.
#pragma once

#include <string>
#include <vector>

#include "core/redis/server.h"

namespace explore {

struct StoredKey {
  std::string name;
  std::string type;                // as TYPE says
  long long ms_left = -1;          // as PTTL says; -1: it does not end
  std::vector<std::string> parts;  // a hash's fields and values in turn, a list's elements, ...

  bool operator==(const StoredKey&) const = default;
};

// In no order. Throws as `command` does.
[[nodiscard]] std::vector<StoredKey> read_stored_keys(core::Server& server);
// Makes `key` on a server that has none of its name.
void write_stored_key(core::Server& server, const StoredKey& key);

}  // namespace explore
