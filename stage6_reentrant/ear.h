// What wants to hear what is announced on a channel: a bell, or the inbox of those who queue.
//
// Thread-safety: all of it is called on the listener's thread, and must be quick.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace stage6 {

class Ear {
 public:
  using Clock = std::chrono::steady_clock;
  using Words = std::vector<std::string>;  // of a command; none: nothing is to be said

  Ear() = default;
  virtual ~Ear() = default;
  Ear(const Ear&) = delete;
  Ear& operator=(const Ear&) = delete;

  // The server has confirmed that it will tell, or the connection is gone and it will not.
  virtual void subscribed() = 0;
  virtual void cut_off() {}

  // `message` was announced, after `since`. Returns what is to be said to the server because of it.
  virtual Words told(std::string_view message, Clock::time_point since) = 0;

  // When the next heartbeat is due, by which `since` is known; and: it is `now`. Never, if it is
  // all the same when things were announced.
  [[nodiscard]] virtual Clock::time_point next_beat() { return Clock::time_point::max(); }
  virtual void beat(Clock::time_point /*now*/) {}
};

}  // namespace stage6
