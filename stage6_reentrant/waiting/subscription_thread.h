// The thread that listens on the channels of this process: one connection to each server, which
// stays open, https://redis.io/docs/latest/develop/interact/pubsub/.
//
// Thread-safety: safe to share.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/redis/address.h"
#include "core/redis/async_connection.h"
#include "core/redis/wake_up.h"
#include "core/shared_instances.h"

namespace stage6 {

// Receives what arrives on a channel.
class Subscriber {
 public:
  virtual ~Subscriber() = default;
  // `message` has arrived from `server`. It is empty when the server has confirmed a subscription,
  // a new one or one after a reconnect: messages before that may have been missed. Called on the
  // thread's own; must be quick.
  virtual void receive(const core::Address& server, std::string_view message) = 0;
};

class SubscriptionThread {
 public:
  // The one of this process: started by the first subscription, ended with the last. Its end waits,
  // for at most `farewell` and on the thread that lets go of it, for what servers have announced to
  // channels that are being left.
  [[nodiscard]] static std::shared_ptr<SubscriptionThread> of_this_process() {
    return core::only_instance<SubscriptionThread>();
  }

  SubscriptionThread();
  ~SubscriptionThread();
  SubscriptionThread(const SubscriptionThread&) = delete;
  SubscriptionThread& operator=(const SubscriptionThread&) = delete;

  // Tells `subscriber` what arrives on `channel` at `server`, until the server has confirmed that
  // the channel was left. One subscriber for each channel of a server: a second one takes the place
  // of the first.
  void subscribe(std::shared_ptr<Subscriber> subscriber, const core::Address& server,
                 const std::string& channel);
  // Leaves it, if its subscriber is that one.
  void unsubscribe(const Subscriber& subscriber, const core::Address& server,
                   const std::string& channel);

  static constexpr std::chrono::milliseconds farewell{100};

 private:
  using Clock = std::chrono::steady_clock;
  struct Subscription {
    std::shared_ptr<Subscriber> subscriber;
    bool wanted = true;
    bool sent = false;  // SUBSCRIBE has been sent over this connection, and UNSUBSCRIBE has not
  };
  struct Server {
    core::Address address;
    std::unique_ptr<core::AsyncConnection> connection;
    Clock::time_point connect_at;                       // not sooner
    std::map<std::string, Subscription> subscriptions;  // by channel
    bool has_news = true;  // there is something to read, or to be sent; or it is time to connect
  };
  struct Message {
    std::shared_ptr<Subscriber> to;
    core::Address from;
    std::string text;
  };

  void run(const std::stop_token& stop);
  void deliver_messages();
  // Has a server still to confirm that a channel was left?
  [[nodiscard]] bool is_leaving();
  // Connects, subscribes to new channels, and leaves those that are not wanted. These two need the
  // mutex.
  static void update_subscriptions(Server& server);
  static void read(Server& server, std::vector<Message>& messages);
  void wait_for_events(const std::stop_token& stop);

  std::mutex mutex_;
  std::map<core::Address, Server> servers_;  // guarded by mutex_
  core::WakeUp wake_up_;
  std::jthread thread_;
};

}  // namespace stage6
