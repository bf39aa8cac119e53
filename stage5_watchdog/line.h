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

class Line {
 public:
  explicit Line(core::Address server) : server_(std::move(server)) {}

  // Queues a question about `hold`. Whether its answer `counts`: else it is not passed on.
  void ask(std::shared_ptr<Hold> hold, Question question, Clock::time_point now, bool counts);

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
  struct Asked {
    std::shared_ptr<Hold> hold;
    Question question;
    Clock::time_point at;
    bool counts;
    bool with_text;  // the script itself was sent, not only its SHA-1
  };

  void send(const Asked& asked);
  [[nodiscard]] std::optional<Renewed> understand(const core::Reply& reply, Asked& asked);

  const core::Address server_;
  std::unique_ptr<core::Channel> channel_;
  std::deque<Asked> unanswered_;
};

}  // namespace stage5
