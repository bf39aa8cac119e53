#include "faults/kit/redis_pool.h"

#include <algorithm>

#include "faults/kit/errors.h"
#include "faults/kit/redis_process.h"

namespace faults {

RedisInstance::RedisInstance(Reaper& reaper, Durability its_durability)
    : directory(reaper),
      clock(directory.path()),
      durability(its_durability),
      keeper(socket_in(directory.path()), {.connect = standstill, .command = standstill}) {}

std::unique_ptr<RedisInstance> RedisPool::take(Durability durability) {
  const std::lock_guard guard(mutex_);
  const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& instance) {
    return instance->durability == durability;
  });
  if (found == waiting_.end()) return nullptr;
  auto instance = std::move(*found);
  waiting_.erase(found);
  return instance;
}

void RedisPool::give_back(std::unique_ptr<RedisInstance> instance) {
  const std::lock_guard guard(mutex_);
  waiting_.push_back(std::move(instance));
}

}  // namespace faults
