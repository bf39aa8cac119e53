#include "stage6_reentrant/release_subscription.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <utility>

namespace stage6 {

// Counts the releases. The thread that listens may have it for a moment longer than the
// subscription.
class ReleaseCount final : public Subscriber {
 public:
  [[nodiscard]] std::uint64_t get() const { return count_.load(); }

  void receive(const core::Address& /*server*/, std::string_view /*message*/) override {
    {
      const std::lock_guard guard(mutex_);
      ++count_;
    }
    waiters_.notify_all();
  }

  void wait(std::uint64_t generation, std::chrono::microseconds limit,
            const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    waiters_.wait_for(lock, stop, limit, [&] { return get() > generation; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any waiters_;
  std::atomic<std::uint64_t> count_{0};
};

std::shared_ptr<ReleaseSubscription> ReleaseSubscription::of(const core::Address& server,
                                                             const std::string& key) {
  static std::mutex mutex;
  static std::map<std::pair<core::Address, std::string>, std::weak_ptr<ReleaseSubscription>> all;
  const std::lock_guard guard(mutex);
  auto& known = all[{server, key}];
  auto subscription = known.lock();
  if (!subscription) {
    subscription = std::make_shared<ReleaseSubscription>(server, key);
    known = subscription;
    std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
  }
  return subscription;
}

ReleaseSubscription::ReleaseSubscription(core::Address server, const std::string& key)
    : server_(std::move(server)),
      channel_(key + ":released"),
      releases_(std::make_shared<ReleaseCount>()) {}

ReleaseSubscription::~ReleaseSubscription() {
  if (thread_) thread_->unsubscribe(*releases_, server_, channel_);
}

std::uint64_t ReleaseSubscription::generation() const {
  return releases_->get();
}

void ReleaseSubscription::wait(std::uint64_t generation, std::chrono::microseconds limit,
                               const std::stop_token& stop) {
  std::call_once(subscribed_, [this] {
    thread_ = SubscriptionThread::of_this_process();
    thread_->subscribe(releases_, server_, channel_);
  });
  releases_->wait(generation, limit, stop);
}

void ReleaseSubscription::refused(std::uint64_t generation, std::chrono::milliseconds lease_left) {
  refusal_.set({.generation = generation, .lease_left = lease_left});
}

bool ReleaseSubscription::pause(std::chrono::microseconds time, const std::stop_token& stop) {
  const auto refusal = refusal_.get().value_or(Refusal{});
  wait(refusal.generation, std::min<std::chrono::microseconds>(time, refusal.lease_left), stop);
  return !stop.stop_requested();
}

}  // namespace stage6
