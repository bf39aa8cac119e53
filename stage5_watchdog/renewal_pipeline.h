// The watchdog's connection to one server: renewals go out in one pipeline, answers are collected
// as they come. It never waits, so a server that is stuck delays no other.
//
// Thread-safety: none; the watchdog's thread uses it.
#pragma once

#include <poll.h>

#include <deque>
#include <memory>
#include <utility>

#include "core/redis/address.h"
#include "core/redis/async_connection.h"
#include "stage5_watchdog/hold.h"

namespace stage5 {

class RenewalPipeline {
 public:
  explicit RenewalPipeline(core::Address server) : server_(std::move(server)) {}

  void ask(Question question, Clock::time_point now);

  [[nodiscard]] pollfd to_poll() const;
  // When the silence has lasted too long; `max()` if no answer is awaited.
  [[nodiscard]] Clock::time_point overdue() const;

  // Sends and reads what it can, and gives up on a connection that has been silent for too long, or
  // that leads to a server which is no longer the one (core/redis/discovery.h).
  void advance(Clock::time_point now);

 private:
  struct Asked {
    Question question;
    Clock::time_point at;
  };

  void send(const Question& question, bool by_text = false);
  // A question whose script the server has forgotten is asked again, unless its hold is being
  // released.
  void answer(Asked asked, const core::Reply& reply);
  // Is the lock on another server now, which the next connection will find?
  [[nodiscard]] bool leads_elsewhere(const core::Reply& reply) const;
  [[nodiscard]] static Renewed understand(const core::Reply& reply);

  const core::Address server_;
  std::unique_ptr<core::AsyncConnection> channel_;
  bool is_proven_ = false;  // the server at its other end has answered
  std::deque<Asked> unanswered_;
  Clock::time_point heard_;                            // when the last answer came
  Clock::duration patience_ = Clock::duration::max();  // with the silence, while one is awaited
};

}  // namespace stage5
