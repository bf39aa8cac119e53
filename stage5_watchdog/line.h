// The watchdog's line to one server: renewals go out in one pipeline, answers are collected as they
// come. It never waits, so a server that is stuck holds up no other.
//
// Thread-safety: none; the watchdog's thread uses it.
#pragma once

#include <poll.h>

#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/address.h"
#include "core/channel.h"
#include "stage5_watchdog/hold.h"

namespace stage5 {

// What a renewal came to.
enum class Renewed {
  renewed,  // the lease counts from when it was asked for
  lost,     // the server says that this hold is over
  unknown,  // no answer, or an error: try again
};

class Line {
 public:
  explicit Line(core::Address server) : server_(std::move(server)) {}

  // Queues a renewal of `hold`.
  void ask(std::shared_ptr<Hold> hold, Clock::time_point now);

  [[nodiscard]] pollfd to_poll() const;
  // When the oldest answer is overdue; `max()` if none is awaited.
  [[nodiscard]] Clock::time_point overdue() const;

  struct Answer {
    std::shared_ptr<Hold> hold;
    Renewed outcome;
    Clock::time_point asked;
  };
  // Sends and reads what it can, and gives up on a connection whose oldest answer is overdue.
  [[nodiscard]] std::vector<Answer> advance(Clock::time_point now);

 private:
  struct Question {
    std::shared_ptr<Hold> hold;
    Clock::time_point asked;
    bool with_text;  // the script itself was sent, not only its SHA-1
  };

  void send(const Question& question);
  [[nodiscard]] std::optional<Renewed> understand(const core::Reply& reply,
                                                  const Question& question);

  const core::Address server_;
  std::unique_ptr<core::Channel> channel_;
  std::deque<Question> unanswered_;
};

}  // namespace stage5
