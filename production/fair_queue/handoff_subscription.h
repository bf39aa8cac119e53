// Tells the waiters of this process that the lock was handed to them.
//
// All of them share one channel at one server: as long as it is subscribed to, PUBLISH counts it
// (https://redis.io/docs/latest/commands/publish/), and the script that hands the lock on takes the
// waiters for alive. A killed process is no subscriber any more as soon as the server sees its
// connection end; a frozen one still is.
//
// One of the waiters reads the connection for all of them: a message goes from the socket to its
// waiter without another thread between them. While nobody waits, a thread of its own reads. A
// message does not say when it was sent, and silence does not say whether the server is still
// there. So the reader sends a PING now and then: the server answers one connection in order, and a
// message behind a PONG was sent after its PING (https://redis.io/docs/latest/commands/ping/).
//
// Thread-safety: safe to share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "core/redis/address.h"
#include "core/redis/async_connection.h"
#include "core/redis/wake_up.h"
#include "core/token.h"
#include "production/fair_queue/waiter.h"

namespace fair_queue {

class HandoffSubscription {
 public:
  // The one of this process at `server`; ends with the last lock that shares it. The first `wait`
  // subscribes.
  [[nodiscard]] static std::shared_ptr<HandoffSubscription> of(const core::Address& server);

  explicit HandoffSubscription(core::Address server) : server_(std::move(server)) {}
  ~HandoffSubscription();
  HandoffSubscription(const HandoffSubscription&) = delete;
  HandoffSubscription& operator=(const HandoffSubscription&) = delete;

  [[nodiscard]] const std::string& channel() const { return channel_; }
  [[nodiscard]] WaiterRegistry& waiters() { return waiters_; }
  // Would a message reach us, as far as we know?
  [[nodiscard]] bool is_subscribed() const { return subscribed_; }

  // Waits until `waiter` was notified more than `generation` times, `time` is over, or `stop` is
  // requested.
  void wait(Waiter& waiter, std::uint64_t generation, std::chrono::microseconds time,
            const std::stop_token& stop);

 private:
  // Reads until then, for all waiters. Needs `reading_`, like all that follow.
  void read(Waiter& waiter, std::uint64_t generation, Clock::time_point until,
            const std::stop_token& stop);
  // Connects and subscribes, if need be.
  void connect();
  void disconnect();
  // Sends the PING that is due. A server that does not answer it is gone, although the connection
  // is open.
  void send_ping();
  // Takes in all messages that have arrived. False: there was none.
  bool receive();
  // The lock was handed to a waiter of this process, or to one that no longer waits.
  void deliver(std::string_view message);
  [[nodiscard]] Clock::time_point next_ping() const;

  // Reads while nobody waits.
  void run(const std::stop_token& stop);

  const core::Address server_;
  const std::string channel_ = "waiters:" + core::random_token();
  WaiterRegistry waiters_;
  std::atomic<bool> subscribed_ = false;
  std::atomic<std::chrono::milliseconds> shortest_lease_{std::chrono::milliseconds::max()};

  std::mutex reading_;
  std::unique_ptr<core::AsyncConnection> subscription_;  // guarded by reading_, as all that follow
  std::unique_ptr<core::AsyncConnection>
      commands_;  // a connection that listens takes no other command
  Clock::time_point connect_at_ = Clock::time_point::min();
  Clock::time_point pinged_;
  bool awaits_pong_ = false;
  Clock::time_point since_ =
      Clock::time_point::min();  // a message that arrives now was sent after that
  core::WakeUp stop_reading_;    // ends the reader's wait

  std::once_flag started_;
  core::WakeUp wake_thread_;  // ends the wait of `thread_`
  std::jthread thread_;
};

}  // namespace fair_queue
