// The watchdog's line to one server: renewals go out in one pipeline, answers are collected as they
// come. It never waits, so a server that is stuck holds up no other.
//
// Thread-safety: none; the watchdog's thread uses it.
#pragma once

#include <poll.h>

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "core/address.h"
#include "core/channel.h"
#include "stage5_watchdog/hold.h"

namespace stage5 {

// What a renewal came to.
enum class Renewed {
  renewed,         // the lease counts from when it was asked for
  lost,            // the server says that this hold is over
  unknown,         // no answer, or an error: try again
  script_unknown,  // the server has forgotten the script: ask with its text
};

class Line {
 public:
  explicit Line(core::Address server) : server_(std::move(server)) {}

  // Queues a renewal of `hold`, by the script's SHA-1 or by its text.
  enum class Script { sha1, text };
  void ask(std::shared_ptr<Hold> hold, Clock::time_point now, Script script = Script::sha1);

  [[nodiscard]] pollfd to_poll() const;
  // When the silence has lasted too long; `max()` if no answer is awaited.
  [[nodiscard]] Clock::time_point overdue() const;

  struct Answer {
    std::shared_ptr<Hold> hold;
    Renewed outcome;
    Clock::time_point asked;
  };
  // Sends and reads what it can, and gives up on a connection that has been silent for too long.
  [[nodiscard]] std::vector<Answer> advance(Clock::time_point now);

 private:
  struct Question {
    std::shared_ptr<Hold> hold;
    Clock::time_point asked;
  };

  void send(const Hold& hold, Script script);
  [[nodiscard]] static Renewed understand(const core::Reply& reply);

  const core::Address server_;
  std::unique_ptr<core::Channel> channel_;
  std::deque<Question> unanswered_;
  Clock::time_point heard_;                            // when the last answer came
  Clock::duration patience_ = Clock::duration::max();  // with the silence, while one is awaited
};

}  // namespace stage5
