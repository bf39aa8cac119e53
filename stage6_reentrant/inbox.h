// Where this process is told that the lock was handed to one of its waiters.
//
// One channel for all of them, at one server: as long as it is subscribed to, PUBLISH counts it
// (https://redis.io/docs/latest/commands/publish/), and who hands the lock on takes the waiters for
// alive. A killed process is no subscriber any more as soon as the server sees its connection end;
// a frozen one still is.
//
// One of those who wait reads the connection, for all: word goes from the socket to its waiter
// without another thread between them. While nobody waits a thread of its own does. A message does
// not say when it was sent, and silence not whether the server is still there. So who reads sends
// a PING now and then: the server answers one connection in order, and what arrives behind a PONG
// was said after its PING was sent (https://redis.io/docs/latest/commands/ping/).
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

#include "core/address.h"
#include "core/async_connection.h"
#include "core/token.h"
#include "core/wake_up.h"
#include "stage6_reentrant/places.h"

namespace stage6 {

class Inbox {
 public:
  // That of this process at `server`; gone with the last who has it. It is subscribed to from the
  // first `wait` on.
  [[nodiscard]] static std::shared_ptr<Inbox> of(const core::Address& server);

  explicit Inbox(core::Address server) : server_(std::move(server)) {}
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  [[nodiscard]] const std::string& channel() const { return channel_; }
  [[nodiscard]] Places& places() { return places_; }
  // Does the server tell us, as far as we know?
  [[nodiscard]] bool is_told() const { return told_; }

  // Waits until `place` was called more than `heard` times, `time` is over, or `stop` is requested.
  void wait(Place& place, std::uint64_t heard, std::chrono::microseconds time,
            const std::stop_token& stop);

 private:
  // Reads until then, for everybody. Needs `reading_`, like all that follow.
  void read(Place& place, std::uint64_t heard, Clock::time_point until,
            const std::stop_token& stop);
  // Connects and subscribes, if need be.
  void keep_up();
  void hang_up();
  // Sends the PING that is due. A server that does not answer it is gone, though nobody hung up.
  void beat();
  // Takes in what has come. False: nothing had.
  bool hear();
  // Of a hold: the lock was handed to one who has a place here, or has one no more.
  void hand_over(std::string_view message);
  [[nodiscard]] Clock::time_point next_beat() const;

  // While nobody waits.
  void run(const std::stop_token& stop);

  const core::Address server_;
  const std::string channel_ = "waiters:" + core::random_token();
  Places places_;
  std::atomic<bool> told_ = false;
  std::atomic<std::chrono::milliseconds> shortest_lease_{std::chrono::milliseconds::max()};

  std::mutex reading_;
  std::unique_ptr<core::AsyncConnection> line_;   // guarded by reading_, as all that follow
  std::unique_ptr<core::AsyncConnection> mouth_;  // who listens on a connection cannot ask on it
  Clock::time_point connect_at_ = Clock::time_point::min();
  Clock::time_point pinged_;
  bool awaits_pong_ = false;
  Clock::time_point since_ = Clock::time_point::min();  // what comes now was said after that
  core::WakeUp stopped_;                                // ends the wait of who reads

  std::once_flag opened_;
  core::WakeUp look_again_;  // ends the wait of `thread_`
  std::jthread thread_;
};

}  // namespace stage6
