// Waits for a lock to be released, without asking again and again.
//
// A message can get lost (nobody keeps it for a subscriber that is away), so a waiter also has a
// time limit, and every confirmed subscription counts as a message: the waiter then looks for
// itself.
//
//   const auto generation = releases->generation();
//   const auto lease_left = ask for the lock;
//   if (lease_left > 0ms) releases->wait(generation, lease_left, stop);
//
// Thread-safety: safe to share.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "core/per_thread.h"
#include "core/redis/address.h"
#include "stage6_reentrant/subscription_thread.h"

namespace stage6 {

class ReleaseCount;

class ReleaseSubscription {
 public:
  // The subscription of this process to releases of the lock `key` at `server`; lock objects on the
  // same key share it.
  [[nodiscard]] static std::shared_ptr<ReleaseSubscription> of(const core::Address& server,
                                                               const std::string& key);

  ReleaseSubscription(core::Address server, const std::string& key);
  ~ReleaseSubscription();
  ReleaseSubscription(const ReleaseSubscription&) = delete;
  ReleaseSubscription& operator=(const ReleaseSubscription&) = delete;

  // The channel on which a release is announced.
  [[nodiscard]] const std::string& channel() const { return channel_; }

  // How many messages have arrived so far. Read it *before* asking for the lock: then a release
  // between the two is not missed.
  [[nodiscard]] std::uint64_t generation() const;

  // Waits until `generation()` is greater than `generation`, `limit` is over, or `stop` is
  // requested. The first call subscribes.
  void wait(std::uint64_t generation, std::chrono::microseconds limit, const std::stop_token& stop);

  // The same in two steps: the calling thread was refused, and then waits for at most `time`, or
  // until the holder's lease is over. False once `stop` is requested.
  void refused(std::uint64_t generation, std::chrono::milliseconds lease_left);
  [[nodiscard]] bool pause(std::chrono::microseconds time, const std::stop_token& stop);

 private:
  struct Refusal {
    std::uint64_t generation = 0;
    std::chrono::milliseconds lease_left{0};
  };

  const core::Address server_;
  const std::string channel_;
  const std::shared_ptr<ReleaseCount> releases_;
  std::once_flag subscribed_;
  std::shared_ptr<SubscriptionThread> thread_;
  core::PerThread<Refusal> refusal_;  // the calling thread's last
};

}  // namespace stage6
