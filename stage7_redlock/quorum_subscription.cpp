#include "stage7_redlock/quorum_subscription.h"

#include <algorithm>
#include <random>
#include <utility>

#include "core/shared_instances.h"
#include "core/waiting.h"
#include "stage7_redlock/majority_count.h"
#include "stage7_redlock/names.h"

namespace stage7 {

using std::chrono::microseconds;

std::shared_ptr<QuorumSubscription> QuorumSubscription::of(const Quorum& quorum,
                                                           const std::string& key) {
  static core::SharedInstances<std::pair<std::string, std::string>, QuorumSubscription> all;
  return all.get({quorum.text(), key},
                 [&] { return std::make_shared<QuorumSubscription>(quorum.shared_nodes(), key); });
}

QuorumSubscription::QuorumSubscription(std::shared_ptr<const Nodes> nodes, const std::string& key)
    : nodes_(std::move(nodes)),
      channel_(key + ":released"),
      count_(std::make_shared<MajorityCount>(nodes_->majority())) {}

QuorumSubscription::~QuorumSubscription() {
  if (!thread_) return;
  for (const auto& node : nodes_->addresses()) thread_->unsubscribe(*count_, node, channel_);
}

void QuorumSubscription::wait(std::uint64_t generation, microseconds limit,
                              const std::stop_token& stop) {
  std::call_once(subscribed_, [this] {
    thread_ = stage6::SubscriptionThread::of_this_process();
    for (const auto& node : nodes_->addresses()) thread_->subscribe(count_, node, channel_);
  });
  const auto until = Clock::now() + limit;
  count_->wait(generation, limit, stop);
  const auto left = std::chrono::duration_cast<microseconds>(until - Clock::now());
  core::pause_for(std::min(left, random_delay()), stop);
}

microseconds QuorumSubscription::random_delay() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return microseconds(std::uniform_int_distribution(0, 15'000)(random));
}

}  // namespace stage7
