// Counts the releases of one lock that have been announced, and wakes the threads that wait for
// one.
//
// Thread-safety: safe to share.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string_view>

#include "stage6_reentrant/waiting/subscription_thread.h"

namespace stage6 {

class ReleaseCount : public Subscriber {
 public:
  [[nodiscard]] std::uint64_t get() const { return count_.load(); }

  // Waits until the count is greater than `known`, `limit` has passed, or `stop` is requested.
  void wait(std::uint64_t known, std::chrono::microseconds limit, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    waiters_.wait_for(lock, stop, limit, [&] { return get() > known; });
  }

  void receive(const core::Address& /*server*/, std::string_view /*message*/) override { add(); }

 protected:
  void add() {
    {
      const std::lock_guard guard(mutex_);
      ++count_;
    }
    waiters_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any waiters_;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace stage6
