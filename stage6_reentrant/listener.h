// The thread that listens for every bell of this process.
//
// Thread-safety: safe to share.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/address.h"
#include "core/async_connection.h"
#include "core/wake_up.h"
#include "stage6_reentrant/bell.h"

namespace stage6 {

class Listener {
 public:
  // The one of this process: started by the first bell that somebody waits for, ended with the
  // last.
  [[nodiscard]] static std::shared_ptr<Listener> of_this_process();

  Listener();
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // From now on, and for as long as it exists, `ring` rings when something is announced on
  // `channel` at `server`; for the first time when the server has confirmed that it will tell.
  void listen(std::weak_ptr<Ring> ring, const core::Address& server, const std::string& channel);

 private:
  using Clock = std::chrono::steady_clock;
  struct Ear {
    std::weak_ptr<Ring> ring;
    bool subscribed = false;
  };
  struct Line {
    core::Address server;
    std::unique_ptr<core::AsyncConnection> channel;
    Clock::time_point connect_at = Clock::time_point::min();
    std::map<std::string, Ear> ears;  // by channel
  };

  void run(const std::stop_token& stop);
  // Connects, subscribes to what is new, and ends what nobody waits for any more. Needs the mutex.
  static void keep_up(Line& line);
  // Reads what the server said, and adds to `ringing`. Needs the mutex.
  static void hear(Line& line, std::vector<std::shared_ptr<Ring>>& ringing);
  void wait_for_something();

  std::mutex mutex_;
  std::map<std::string, Line> lines_;  // by address; guarded by mutex_
  core::WakeUp wake_up_;
  std::jthread thread_;
};

}  // namespace stage6
