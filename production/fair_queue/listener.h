// Tells the waiters of this process that it is their turn.
//
// The waiters of all lines that the same servers may keep share one channel, and one connection to
// each server. As long as it is subscribed to, PUBLISH counts it
// (https://redis.io/docs/latest/commands/publish/), and line.lua takes the waiters for alive.
//
// No thread is started: one of the waiters reads for all of them, so that its own turn comes
// straight from the socket. It is the one that has waited longest, and so most probably the next.
//
// Thread-safety: safe to share.
#pragma once

#include <atomic>
#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/redis/address.h"
#include "core/redis/async_connection.h"
#include "core/redis/wake_up.h"
#include "core/token.h"
#include "production/fair_queue/waiter.h"

namespace fair_queue {

class Listener {
 public:
  // The one of this process; ends with the last line that shares it.
  [[nodiscard]] static std::shared_ptr<Listener> of(const std::vector<core::Address>& servers);

  explicit Listener(const std::vector<core::Address>& servers);

  [[nodiscard]] const std::string& channel() const { return channel_; }

  // A waiter that is notified from now on, until it is removed.
  [[nodiscard]] std::shared_ptr<Waiter> add(std::shared_ptr<LookTime> line_looks_at);
  void remove(const Waiter& waiter);

  // The longest waiter of a line is to look at that time.
  void look_at(LookTime& line, Clock::time_point time);

  // Subscribes, if need be: to be called before a waiter enters a line. Waits a moment for the
  // servers to say that it is done.
  void subscribe();

  // One thread of a process comes or goes at a time: a crowd needs no crowd of connections. (After
  // a while it goes ahead all the same: the server may not answer another one.)
  [[nodiscard]] std::unique_lock<std::timed_mutex> pass_alone() {
    return std::unique_lock(passing_, std::chrono::seconds(1));
  }

  // On this channel clients announce which of the servers keeps the lines now. The last one that
  // was announced; -1: none has been since the last call.
  static constexpr std::string_view moves = "fair_queue:moves";
  [[nodiscard]] int take_move() { return moved_to_.exchange(-1); }

  // Waits until `waiter` has news, `until`, or `stop` is requested.
  void wait(Waiter& waiter, Clock::time_point until, const std::stop_token& stop);

 private:
  struct Source {
    core::Address address;
    std::unique_ptr<core::AsyncConnection> connection = {};
    Clock::time_point connect_at = Clock::time_point::min();
    Clock::time_point last_heard = {};
    bool is_ready = true;  // there may be something to read, or to be sent
    bool is_subscribed = false;
    bool awaits_reply = false;
    bool was_silent = false;  // a waiter has waited for it in vain: no other does, until it answers

    // Nothing more is to be expected from it at the moment.
    [[nodiscard]] bool is_settled() const { return is_subscribed || was_silent || !connection; }
  };

  // At its end another waiter reads in this thread's place, also after an exception.
  struct NextReader {
    Listener& listener;
    ~NextReader() { listener.wake_next_reader(); }
  };

  // Reads for all waiters until then. Needs `reading_`, like all that follow.
  void read(Waiter& waiter, Clock::time_point until, const std::stop_token& stop);
  void poll_sources(Clock::time_point until);
  void advance_all();
  void connect(Source& source);
  void disconnect(Source& source);
  void send_ping(Source& source);
  void receive(Source& source);
  void deliver(std::string_view message);
  // A message may have been missed: all look for themselves, not all at the same time.
  void make_all_look();
  // It is time for some lines.
  void make_first_look();
  void wake_next_reader();

  const std::string channel_ = "fair_queue:" + core::random_token();

  std::mutex mutex_;
  std::list<std::shared_ptr<Waiter>> waiters_;  // in order; these are guarded by mutex_
  std::map<std::string_view, decltype(waiters_)::iterator> by_token_;
  Clock::time_point next_look_ = Clock::time_point::max();

  std::timed_mutex passing_;
  std::timed_mutex reading_;
  std::atomic<bool> is_ready_ = false;  // it has subscribed once
  std::atomic<int> moved_to_ = -1;
  std::vector<Source> sources_;  // guarded by reading_
  core::WakeUp wake_reader_;
};

}  // namespace fair_queue
