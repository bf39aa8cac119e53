// A Lua script that a server runs in one uninterrupted step.
//
// Each script is a file beside the lock that uses it; the build embeds its text and the SHA-1 by
// which a server knows it (https://redis.io/docs/latest/commands/evalsha/).
#pragma once

#include <string_view>

namespace core {

struct Script {
  std::string_view name;  // the file's name, for error messages
  std::string_view sha1;  // 40 hex digits
  std::string_view text;
};

}  // namespace core
