#include "stage6_reentrant/release_subscription.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <map>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/async_connection.h"
#include "core/wake_up.h"

namespace stage6 {

// Shared by a subscription and the thread that listens for it.
struct Announcements {
  void add() {
    {
      const std::lock_guard guard(mutex);
      ++count;
    }
    waiters.notify_all();
  }

  std::mutex mutex;
  std::condition_variable_any waiters;
  std::atomic<std::uint64_t> count{0};
};

// The thread that listens for every subscription of this process.
class SubscriptionThread {
 public:
  // Started by the first subscription, ended with the last.
  [[nodiscard]] static std::shared_ptr<SubscriptionThread> of_this_process();

  SubscriptionThread();
  ~SubscriptionThread();
  SubscriptionThread(const SubscriptionThread&) = delete;
  SubscriptionThread& operator=(const SubscriptionThread&) = delete;

  // Adds to `announcements` for each message on `channel` at `server`, for as long as they exist;
  // for the first time when the server has confirmed the subscription.
  void subscribe(std::weak_ptr<Announcements> announcements, const core::Address& server,
                 const std::string& channel);

 private:
  using Clock = std::chrono::steady_clock;
  using Arrived = std::vector<std::shared_ptr<Announcements>>;
  struct Subscription {
    std::weak_ptr<Announcements> announcements;
    bool sent = false;  // SUBSCRIBE has been sent over this connection
  };
  struct Connection {
    core::Address server;
    std::unique_ptr<core::AsyncConnection> channel;
    Clock::time_point connect_at;                       // not sooner
    std::map<std::string, Subscription> subscriptions;  // by channel
  };

  void run(const std::stop_token& stop);
  // Connects, subscribes to new channels, and unsubscribes from those without a waiter. These two
  // need the mutex.
  static void update_subscriptions(Connection& connection);
  static void read(Connection& connection, Arrived& arrived);
  void wait_for_events();

  std::mutex mutex_;
  std::map<std::string, Connection> connections_;  // by address; guarded by mutex_
  core::WakeUp wake_up_;
  std::jthread thread_;
};

std::shared_ptr<SubscriptionThread> SubscriptionThread::of_this_process() {
  static std::mutex mutex;
  static std::weak_ptr<SubscriptionThread> only;
  const std::lock_guard guard(mutex);
  auto thread = only.lock();
  if (!thread) {
    thread = std::make_shared<SubscriptionThread>();
    only = thread;
  }
  return thread;
}

SubscriptionThread::SubscriptionThread() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

SubscriptionThread::~SubscriptionThread() {
  thread_.request_stop();
  wake_up_.wake();
  thread_.join();
}

void SubscriptionThread::subscribe(std::weak_ptr<Announcements> announcements,
                                   const core::Address& server, const std::string& channel) {
  {
    const std::lock_guard guard(mutex_);
    auto& connection = connections_[server.text()];
    connection.server = server;
    connection.subscriptions[channel] = {.announcements = std::move(announcements)};
  }
  wake_up_.wake();
}

void SubscriptionThread::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Arrived arrived;
    {
      const std::lock_guard guard(mutex_);
      for (auto& [address, connection] : connections_) {
        update_subscriptions(connection);
        read(connection, arrived);
      }
    }
    for (const auto& announcements : arrived) announcements->add();
    wait_for_events();
  }
}

void SubscriptionThread::update_subscriptions(Connection& connection) {
  auto& subscriptions = connection.subscriptions;
  if (connection.channel && connection.channel->broken()) {
    connection.channel.reset();
    connection.connect_at = Clock::now() + core::reconnect_pause;
    for (auto& [channel, subscription] : subscriptions) subscription.sent = false;
  }
  if (!connection.channel) {
    if (subscriptions.empty() || Clock::now() < connection.connect_at) return;
    connection.channel = std::make_unique<core::AsyncConnection>(connection.server);
  }
  for (auto& [channel, subscription] : subscriptions) {
    const bool wanted = !subscription.announcements.expired();
    if (wanted == subscription.sent) continue;
    const std::array<std::string_view, 2> words{wanted ? "SUBSCRIBE" : "UNSUBSCRIBE", channel};
    connection.channel->send(words);
    subscription.sent = wanted;
  }
  std::erase_if(subscriptions,
                [](const auto& entry) { return entry.second.announcements.expired(); });
}

void SubscriptionThread::read(Connection& connection, Arrived& arrived) {
  if (!connection.channel) return;
  connection.channel->advance();
  while (const auto push = connection.channel->next()) {
    const bool counts = push->text(0) == "message" || push->text(0) == "subscribe";
    const auto found = connection.subscriptions.find(std::string(push->text(1)));
    if (!counts || found == connection.subscriptions.end()) continue;
    if (auto announcements = found->second.announcements.lock()) {
      arrived.push_back(std::move(announcements));
    }
  }
}

void SubscriptionThread::wait_for_events() {
  std::vector<pollfd> sources{wake_up_.to_poll()};
  int limit = -1;
  {
    const std::lock_guard guard(mutex_);
    for (const auto& [address, connection] : connections_) {
      const auto* channel = connection.channel.get();
      if (channel != nullptr) {
        sources.push_back({.fd = channel->descriptor(), .events = channel->wants()});
      }
      const bool away = channel == nullptr || channel->broken();
      if (away && !connection.subscriptions.empty()) {
        limit = static_cast<int>(core::reconnect_pause.count());
      }
    }
  }
  poll(sources.data(), sources.size(), limit);
  wake_up_.clear();
}

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
      announcements_(std::make_shared<Announcements>()) {}

std::uint64_t ReleaseSubscription::generation() const {
  return announcements_->count.load();
}

void ReleaseSubscription::wait(std::uint64_t generation, std::chrono::microseconds limit,
                               const std::stop_token& stop) {
  std::call_once(subscribed_, [this] {
    thread_ = SubscriptionThread::of_this_process();
    thread_->subscribe(announcements_, server_, channel_);
  });
  std::unique_lock lock(announcements_->mutex);
  announcements_->waiters.wait_for(lock, stop, limit,
                                   [&] { return this->generation() > generation; });
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
