// Which redis-server to run.
#pragma once

#include <filesystem>
#include <string>

namespace faults {

struct RedisBinary {
  std::filesystem::path program;
  std::string runs_as;  // the name it must be started under
  std::string version;  // such as "7.0.15"
};

// $REDIS_SERVER if set; else `redis-server`, `valkey-server`, or `redis-check-rdb` on the PATH. The
// last is the same program: what it does depends on the name it is started under, and Debian's
// package redis-tools ships it without a system service on port 6379.
// Throws CannotRun if there is none, or it is older than 6.2.
[[nodiscard]] RedisBinary find_redis();

}  // namespace faults
