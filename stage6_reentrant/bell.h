// Rings when a lock is released: what its waiters sleep on instead of asking again and again.
//
// One thread listens for all locks of this process, on one connection to each server, which stays
// open. A message can get lost (nobody keeps it for a subscriber that is away:
// https://redis.io/docs/latest/develop/interact/pubsub/), so a waiter also has a clock beside it,
// and every (re)subscription rings: whatever was missed before, the waiter looks for itself.
//
// Thread-safety: safe to share.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "core/address.h"

namespace stage6 {

class Listener;

// What a bell and the thread that rings it have in common.
struct Ring {
  void ring();

  std::mutex mutex;
  std::condition_variable_any waiters;
  std::atomic<std::uint64_t> count{0};
};

class Bell {
 public:
  // For what is announced on `channel` at `server`. It listens from the first `wait` on.
  Bell(core::Address server, std::string channel);

  // How often it has rung so far. Ask this *before* asking for the lock: a release between the two
  // is then not missed.
  [[nodiscard]] std::uint64_t rung() const { return ring_->count.load(); }

  // Waits until it has rung more than `heard` times, `time` is over, or `stop` is requested.
  void wait(std::uint64_t heard, std::chrono::microseconds time, const std::stop_token& stop);

 private:
  const core::Address server_;
  const std::string channel_;
  const std::shared_ptr<Ring> ring_ = std::make_shared<Ring>();
  std::once_flag listens_;
  std::shared_ptr<Listener> listener_;
};

}  // namespace stage6
