// The releases of a lock on a quorum: each counts once a majority of the nodes has announced it.
//
// Thread-safety: safe to share.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "stage6_reentrant/waiting/release_count.h"
#include "stage6_reentrant/waiting/releases.h"
#include "stage6_reentrant/waiting/subscription_thread.h"
#include "stage7_redlock/quorum.h"

namespace stage7 {

class QuorumSubscription final : public stage6::Releases {
 public:
  // The subscription of this process to releases of the lock `key`; lock objects on the same key
  // and quorum share it.
  [[nodiscard]] static std::shared_ptr<QuorumSubscription> of(const Quorum& quorum,
                                                              const std::string& key);

  QuorumSubscription(std::shared_ptr<const Nodes> nodes, const std::string& key);
  ~QuorumSubscription() override;
  QuorumSubscription(const QuorumSubscription&) = delete;
  QuorumSubscription& operator=(const QuorumSubscription&) = delete;

  [[nodiscard]] const std::string& channel() const override { return channel_; }
  [[nodiscard]] std::uint64_t generation() const override { return count_->get(); }
  // After an announcement it waits for a `random_delay` more.
  void wait(std::uint64_t generation, std::chrono::microseconds limit,
            const std::stop_token& stop) override;

  // Up to 15 ms: waiters that ask together split the votes between them.
  [[nodiscard]] static std::chrono::microseconds random_delay();

 private:
  const std::shared_ptr<const Nodes> nodes_;
  const std::string channel_;
  const std::shared_ptr<stage6::ReleaseCount> count_;
  std::once_flag subscribed_;
  std::shared_ptr<stage6::SubscriptionThread> thread_;
};

}  // namespace stage7
