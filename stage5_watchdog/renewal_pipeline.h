// The watchdog's connection to one server: renewals go out in one pipeline, answers are collected
// as they come. It never waits, so a server that is stuck delays no other.
//
// Thread-safety: none; the watchdog's thread uses it.
#pragma once

#include <poll.h>

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "core/redis/address.h"
#include "core/redis/async_connection.h"
#include "stage5_watchdog/hold.h"

namespace stage5 {

class RenewalPipeline {
 public:
  explicit RenewalPipeline(core::Address server) : server_(std::move(server)) {}

  // Queues a question about `hold`, its script by SHA-1 or by its text. `counts`: does the answer
  // matter?
  enum class Script { sha1, text };
  void ask(std::shared_ptr<Hold> hold, Question question, Clock::time_point now, bool counts,
           Script script = Script::sha1);

  [[nodiscard]] pollfd to_poll() const;
  // When the silence has lasted too long; `max()` if no answer is awaited.
  [[nodiscard]] Clock::time_point overdue() const;

  struct Answer {
    std::shared_ptr<Hold> hold;
    Renewed outcome;
    Clock::time_point asked;
    Question question;
    bool counts;
  };
  // Sends and reads what it can, and gives up on a connection that has been silent for too long, or
  // that leads to a server which is no longer the one (core/redis/discovery.h).
  [[nodiscard]] std::vector<Answer> advance(Clock::time_point now);

 private:
  struct Asked {
    std::shared_ptr<Hold> hold;
    Question question;
    Clock::time_point at;
    bool counts;
  };

  void send(const Question& question, Script script);
  // Is the lock on another server now, which the next connection will find?
  [[nodiscard]] bool is_elsewhere(const core::Reply& reply) const;
  [[nodiscard]] static Renewed understand(const core::Reply& reply);

  const core::Address server_;
  std::unique_ptr<core::AsyncConnection> channel_;
  bool is_proven_ = false;  // the server at its other end has answered
  std::deque<Asked> unanswered_;
  Clock::time_point heard_;                            // when the last answer came
  Clock::duration patience_ = Clock::duration::max();  // with the silence, while one is awaited
};

}  // namespace stage5
