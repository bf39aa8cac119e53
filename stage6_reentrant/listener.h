// The thread that listens for every ear of this process.
//
// A connection can be silent for two reasons: nothing is announced, or nothing arrives. And a
// message does not say when it was announced. A heartbeat answers both, for who wants to know: the
// server answers one connection in order, so what arrives behind the PONG to a PING was announced
// after that PING was sent (https://redis.io/docs/latest/commands/ping/).
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
#include "core/channel.h"
#include "core/wake_up.h"
#include "stage6_reentrant/ear.h"

namespace stage6 {

class Listener {
 public:
  // The one of this process: started by the first ear that somebody waits for, ended with the
  // last.
  [[nodiscard]] static std::shared_ptr<Listener> of_this_process();

  Listener();
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // From now on, and for as long as it exists, `ear` is told what is announced on `channel` at
  // `server`; and first of all when the server has confirmed that it will tell.
  void listen(std::weak_ptr<Ear> ear, const core::Address& server, const std::string& channel);

  // An ear's next heartbeat is due sooner than it was.
  void hurry() { wake_up_.wake(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Listening {
    std::weak_ptr<Ear> ear;
    bool subscribed = false;
  };
  struct Line {
    core::Address server;
    std::unique_ptr<core::Channel> channel;
    Clock::time_point connect_at = Clock::time_point::min();
    std::map<std::string, Listening> ears;                // by channel
    std::unique_ptr<core::Channel> mouth;                 // who listens on a connection cannot ask
    Clock::time_point pinged = Clock::time_point::min();  // when the last PING was sent
    bool awaits_pong = false;
    Clock::time_point since = Clock::time_point::min();  // what comes now was announced after that
  };
  // What an ear is told, without the mutex.
  struct Told {
    Line* line;
    std::shared_ptr<Ear> ear;
    core::Reply push;
    Clock::time_point since;
  };

  void run(const std::stop_token& stop);
  // Connects, subscribes to what is new, and ends what nobody waits for any more. Needs the mutex.
  static void keep_up(Line& line);
  static void hang_up(Line& line);
  // Sends the PING that is due; a line on which none is answered is no line. Needs the mutex.
  static void beat(Line& line, Clock::time_point now);
  // Reads what the server said, and adds to `told`. Needs the mutex.
  static void hear(Line& line, std::vector<Told>& told);
  static void tell(const Told& told);
  void wait_for_something();

  std::mutex mutex_;
  std::map<std::string, Line> lines_;  // by address; guarded by mutex_, `mouth` the thread's own
  core::WakeUp wake_up_;
  std::jthread thread_;
};

}  // namespace stage6
