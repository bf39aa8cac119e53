// The servers that the tests of one program have, one test after the other: each finds them as
// fresh ones. With a test of a server's own fault, the next one gets a new server.
//
// Thread-safety: safe to share.
#pragma once

#include "faults/kit/reaper.h"
#include "faults/kit/redis_pool.h"

namespace faults {

struct SharedServers {
  Reaper reaper;
  RedisPool pool{reaper};
};

// Begun by the first test that asks; ended with the program.
[[nodiscard]] inline SharedServers& shared_servers() {
  static SharedServers servers;
  return servers;
}

}  // namespace faults
