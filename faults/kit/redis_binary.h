// Which redis-server to run.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "faults/kit/errors.h"
#include "faults/kit/reaper.h"

namespace faults {

// How long a server may take to answer when it is started: milliseconds, as a rule.
inline constexpr std::chrono::milliseconds redis_start_limit{20'000};

struct RedisBinary {
  std::filesystem::path program;
  std::string runs_as;    // the name it must be started under
  std::string name = {};  // by which --redis of ./lab has chosen it; empty: it has not

  // The same command line of ./lab, for this server.
  [[nodiscard]] std::string chosen_in(const std::string& command) const {
    return name.empty() ? command : command + " --redis " + name;
  }
};

// $REDIS_SERVER if set; else `redis-server`, `valkey-server`, or `redis-check-rdb` on the PATH. The
// last is the same program: what it does depends on the name it is started under, and Debian's
// package redis-tools ships it without a system service on port 6379.
// Throws CannotRun if there is none.
[[nodiscard]] RedisBinary find_redis();

// Such as "7.0.15". Starts the program to ask it. Throws CannotRun if it is something else, is
// older than 6.2, or does not answer within `limit`.
[[nodiscard]] std::string version_of(const RedisBinary& binary, Reaper& reaper,
                                     std::chrono::milliseconds limit = redis_start_limit);

// True if it is what `needed` names, such as "Redis 8.4", or newer. Starts the program to ask it.
// Redis and Valkey are two products: no version of one is one of the other. Throws as version_of().
[[nodiscard]] bool is_at_least(const RedisBinary& binary, const std::string& needed,
                               Reaper& reaper);

}  // namespace faults
