// A process of the Redis program, server or Sentinel, that listens on a unix socket, and on a port
// if it is given one.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/redis/server.h"
#include "faults/kit/process.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_binary.h"

namespace faults {

// The address of a server that lives in `directory`. Throws CannotRun if that is too long a path.
[[nodiscard]] core::Address socket_in(const std::filesystem::path& directory);

struct RedisPlan {
  RedisBinary binary;
  std::vector<std::string> arguments;              // beyond the socket and the log
  std::map<std::string, std::string> environment;  // added to the runner's own
  std::filesystem::path log;
  int port = 0;  // 0: none
  std::chrono::milliseconds limit = redis_start_limit;
};

// Starts one that listens at `door`'s address and at its port, and returns once it answers there.
// Throws CannotRun; also if it is a wrapper, and the server is another process: a fault would hit
// the wrapper; and if it is to live in virtual time and reads the processor's clock.
[[nodiscard]] std::unique_ptr<Process> start_redis(const RedisPlan& plan, core::Server& door,
                                                   Reaper& reaper);

}  // namespace faults
