// Where this process is told that the lock was handed to one of its waiters.
//
// One channel for all of them, at one server: as long as it is subscribed to, PUBLISH counts it
// (https://redis.io/docs/latest/commands/publish/), and who hands the lock on takes the waiters for
// alive. A killed process is no subscriber any more as soon as the server sees its connection end;
// a frozen one still is.
//
// Thread-safety: safe to share.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "core/address.h"
#include "core/token.h"
#include "stage6_reentrant/listener.h"
#include "stage6_reentrant/places.h"

namespace stage6 {

class Inbox {
 public:
  // That of this process at `server`; gone with the last who has it. It is subscribed to from the
  // first `wait` on.
  [[nodiscard]] static std::shared_ptr<Inbox> of(const core::Address& server);
  explicit Inbox(core::Address server) : server_(std::move(server)) {}

  [[nodiscard]] const std::string& channel() const { return channel_; }
  [[nodiscard]] Places& places() { return *places_; }

  // Waits until the place's bell has rung more than `heard` times, `time` is over, or `stop` is
  // requested.
  void wait(Place& place, std::uint64_t heard, std::chrono::microseconds time,
            const std::stop_token& stop);

 private:
  const core::Address server_;
  const std::string channel_ = "waiters:" + core::random_token();
  const std::shared_ptr<Places> places_ = std::make_shared<Places>();
  std::once_flag listens_;
  std::shared_ptr<Listener> listener_;
};

}  // namespace stage6
