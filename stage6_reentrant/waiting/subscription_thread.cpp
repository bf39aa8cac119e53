#include "stage6_reentrant/waiting/subscription_thread.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <utility>

namespace stage6 {

SubscriptionThread::SubscriptionThread() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

SubscriptionThread::~SubscriptionThread() {
  thread_.request_stop();
  wake_up_.wake();
  thread_.join();
}

void SubscriptionThread::subscribe(std::shared_ptr<Subscriber> subscriber,
                                   const core::Address& server, const std::string& channel) {
  {
    const std::lock_guard guard(mutex_);
    auto& known = servers_[server];
    known.address = server;
    known.subscriptions[channel] = {.subscriber = std::move(subscriber)};
    known.has_news = true;
  }
  wake_up_.wake();
}

void SubscriptionThread::unsubscribe(const Subscriber& subscriber, const core::Address& server,
                                     const std::string& channel) {
  {
    const std::lock_guard guard(mutex_);
    auto& known = servers_[server];
    const auto found = known.subscriptions.find(channel);
    if (found == known.subscriptions.end()) return;
    if (found->second.subscriber.get() != &subscriber) return;
    if (!found->second.sent) {
      known.subscriptions.erase(found);
      return;
    }
    found->second.wanted = false;
    known.has_news = true;
  }
  wake_up_.wake();
}

void SubscriptionThread::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    deliver_messages();
    wait_for_events(stop);
  }
  const auto end = Clock::now() + farewell;
  for (deliver_messages(); is_leaving() && Clock::now() < end; deliver_messages()) {
    wait_for_events(stop);
  }
}

void SubscriptionThread::deliver_messages() {
  std::vector<Message> messages;
  {
    const std::lock_guard guard(mutex_);
    for (auto& [address, server] : servers_) {
      if (!std::exchange(server.has_news, false)) continue;
      update_subscriptions(server);
      read(server, messages);
    }
  }
  for (const auto& message : messages) message.to->receive(message.from, message.text);
}

bool SubscriptionThread::is_leaving() {
  const std::lock_guard guard(mutex_);
  return std::any_of(servers_.begin(), servers_.end(), [](const auto& entry) {
    return entry.second.connection && !entry.second.subscriptions.empty();
  });
}

void SubscriptionThread::update_subscriptions(Server& server) {
  if (server.connection && server.connection->broken()) {
    server.connection.reset();
    server.connect_at = Clock::now() + core::reconnect_pause;
    for (auto& [channel, subscription] : server.subscriptions) subscription.sent = false;
  }
  if (!server.connection) {
    // A server that is away has nothing to say to those who leave.
    std::erase_if(server.subscriptions, [](const auto& entry) { return !entry.second.wanted; });
    if (server.subscriptions.empty() || Clock::now() < server.connect_at) return;
    server.connection = std::make_unique<core::AsyncConnection>(server.address);
  }
  for (auto& [channel, subscription] : server.subscriptions) {
    const bool wanted = subscription.wanted;
    if (wanted == subscription.sent) continue;
    const std::array<std::string_view, 2> words{wanted ? "SUBSCRIBE" : "UNSUBSCRIBE", channel};
    server.connection->send(words);
    subscription.sent = wanted;
  }
}

void SubscriptionThread::read(Server& server, std::vector<Message>& messages) {
  if (!server.connection) return;
  server.connection->advance();
  while (const auto push = server.connection->next()) {
    const auto kind = push->text(0);
    const auto found = server.subscriptions.find(std::string(push->text(1)));
    if (found == server.subscriptions.end()) continue;
    const auto& subscription = found->second;
    if (kind == "unsubscribe") {
      if (!subscription.wanted) server.subscriptions.erase(found);
    } else if (kind == "message" || (kind == "subscribe" && subscription.wanted)) {
      messages.push_back({.to = subscription.subscriber,
                          .from = server.address,
                          .text = std::string(kind == "message" ? push->text(2) : "")});
    }
  }
}

void SubscriptionThread::wait_for_events(const std::stop_token& stop) {
  std::vector<pollfd> sources{wake_up_.to_poll()};
  std::vector<Server*> polled{nullptr};
  int limit = stop.stop_requested() ? static_cast<int>(farewell.count()) : -1;
  {
    const std::lock_guard guard(mutex_);
    for (auto& [address, server] : servers_) {
      const auto* connection = server.connection.get();
      if (connection != nullptr) {
        sources.push_back({.fd = connection->descriptor(), .events = connection->wants()});
        polled.push_back(&server);
      }
      const bool away = connection == nullptr || connection->broken();
      if (away && !server.subscriptions.empty()) {
        server.has_news = true;
        if (limit < 0) limit = static_cast<int>(core::reconnect_pause.count());
      }
    }
  }
  poll(sources.data(), sources.size(), limit);
  if (sources.front().revents != 0) wake_up_.clear();
  const std::lock_guard guard(mutex_);
  for (std::size_t i = 1; i < sources.size(); ++i) {
    if (sources[i].revents != 0) polled[i]->has_news = true;
  }
}

}  // namespace stage6
