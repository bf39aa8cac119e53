// Redis servers that outlast the world they served, for the next one: a sweep needs one set of
// them.
//
// A RedisServer that is given a pool takes its process from there, or starts one, and leaves it
// there unless a fault was the server's own. Thread-safety: safe to share.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/redis/server.h"
#include "faults/kit/clock.h"
#include "faults/kit/process.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_state.h"
#include "faults/kit/temp_dir.h"

namespace faults {

// Does a server keep its data when it is killed? One that keeps them writes each change to disk
// before it answers (appendfsync always:
// https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/).
enum class Durability { forgets, keeps };

// A redis-server, with the directory and the clock it lives by.
struct RedisInstance {
  RedisInstance(Reaper& reaper, Durability durability);

  TempDir directory;
  Clock clock;
  Durability durability;
  // Connected from the start, so that no password that a world sets locks it out.
  core::Server keeper;
  std::unique_ptr<Process> process = nullptr;  // null: not yet started
  RedisState as_started = {};
};

class RedisPool {
 public:
  // Its servers are registered with `reaper`.
  explicit RedisPool(Reaper& reaper) : reaper_(reaper) {}

  // One that waits here, or null.
  [[nodiscard]] std::unique_ptr<RedisInstance> take(Durability durability);
  void give_back(std::unique_ptr<RedisInstance> instance);
  [[nodiscard]] Reaper& reaper() const { return reaper_; }

 private:
  Reaper& reaper_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<RedisInstance>> waiting_;  // guarded by mutex_
};

}  // namespace faults
