// The things that the parts of one world share.
#pragma once

#include <algorithm>
#include <filesystem>

#include "faults/kit/client.h"
#include "faults/kit/history.h"
#include "faults/kit/loop.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/redis_pool.h"
#include "faults/kit/stall_detector.h"
#include "faults/world/tested_lock.h"
#include "faults/world/timing.h"

namespace faults {

struct Setup {
  const TestedLock& lock;
  RedisBinary redis;
  Reaper& reaper;
  History& history;
  std::filesystem::path directory;  // gets the logs of servers and clients
  Timing timing;
  Say say;  // to the person who waits; may be empty
  bool time_waits = false;
  StartedAs started_as = {};
  RedisPool* pool = nullptr;  // where its servers come from, if an execution was before it
  Loop loop = {};
  // A stall for a fifth of a usual lease may explain why something came too late. In a slowed
  // world, too: a judge compares the recorded stalls with the delay.
  StallDetector stalls{history, std::min(timing.lease(), Timing::usual_lease) / 5,
                       time_waits ? StallDetector::Looks::at_time : StallDetector::Looks::at_cpus};
};

}  // namespace faults
