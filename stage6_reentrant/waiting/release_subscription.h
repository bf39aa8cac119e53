// The releases that one server announces.
//
// Thread-safety: safe to share.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "core/redis/address.h"
#include "stage6_reentrant/waiting/release_count.h"
#include "stage6_reentrant/waiting/releases.h"

namespace stage6 {

class ReleaseSubscription final : public Releases {
 public:
  // The subscription of this process to releases of the lock `key` at `server`; lock objects on the
  // same key share it.
  [[nodiscard]] static std::shared_ptr<ReleaseSubscription> of(const core::Address& server,
                                                               const std::string& key);

  ReleaseSubscription(core::Address server, const std::string& key);
  ~ReleaseSubscription() override;
  ReleaseSubscription(const ReleaseSubscription&) = delete;
  ReleaseSubscription& operator=(const ReleaseSubscription&) = delete;

  [[nodiscard]] const std::string& channel() const override { return channel_; }
  [[nodiscard]] std::uint64_t generation() const override { return count_->get(); }
  void wait(std::uint64_t generation, std::chrono::microseconds limit,
            const std::stop_token& stop) override;

 private:
  const core::Address server_;
  const std::string channel_;
  // The thread that listens may have it for a moment longer than the subscription.
  const std::shared_ptr<ReleaseCount> count_ = std::make_shared<ReleaseCount>();
  std::once_flag subscribed_;
  std::shared_ptr<SubscriptionThread> thread_;
};

}  // namespace stage6
