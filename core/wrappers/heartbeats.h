// The signs of life of this process's holders, for a monitor that frees the locks of dead ones
// (production/monitor/): who holds which lock is announced on a channel, again and again.
//
// A heartbeat that does not arrive has no consequence here: the lock and its lease are as they are.
// Thread-safety: safe to share.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "core/redis/server.h"

namespace core {

class Heartbeats {
 public:
  // The channel; each message is a hold's token, a space, and the lock's key.
  static constexpr const char* channel = "lock-heartbeats";

  // Announces each hold once per `period`, on the server `post`: the one of the locks, or any
  // other. The monitor has to know the same period. Each costs a round trip: what all of them cost
  // must be less than a period.
  Heartbeats(Address post, std::chrono::milliseconds period);
  ~Heartbeats();
  Heartbeats(const Heartbeats&) = delete;
  Heartbeats& operator=(const Heartbeats&) = delete;

  // The hold of that token begins; a first heartbeat has been tried when this returns, for at most
  // two periods. Ends it: as often as it was begun.
  void begin(const std::string& key, const std::string& token);
  void end(const std::string& key, const std::string& token);

 private:
  using Hold = std::pair<std::string, std::string>;  // key, token

  void run(const std::stop_token& stop);
  void announce(const Hold& hold) noexcept;

  Server post_;
  const std::chrono::milliseconds period_;
  std::mutex mutex_;
  std::condition_variable_any news_;
  std::map<Hold, int> holds_;  // how often they were begun; guarded by mutex_
  std::jthread thread_;
};

}  // namespace core
