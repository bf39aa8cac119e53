#include "stage6_reentrant/waiting/release_subscription.h"

#include <utility>

#include "core/shared_instances.h"

namespace stage6 {

std::shared_ptr<ReleaseSubscription> ReleaseSubscription::of(const core::Address& server,
                                                             const std::string& key) {
  static core::SharedInstances<std::pair<core::Address, std::string>, ReleaseSubscription> all;
  return all.get({server, key}, [&] { return std::make_shared<ReleaseSubscription>(server, key); });
}

ReleaseSubscription::ReleaseSubscription(core::Address server, const std::string& key)
    : server_(std::move(server)), channel_(key + ":released") {}

ReleaseSubscription::~ReleaseSubscription() {
  if (thread_) thread_->unsubscribe(*count_, server_, channel_);
}

void ReleaseSubscription::wait(std::uint64_t generation, std::chrono::microseconds limit,
                               const std::stop_token& stop) {
  std::call_once(subscribed_, [this] {
    thread_ = SubscriptionThread::of_this_process();
    thread_->subscribe(count_, server_, channel_);
  });
  count_->wait(generation, limit, stop);
}

}  // namespace stage6
