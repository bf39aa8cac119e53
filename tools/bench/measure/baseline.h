// The limit of a lock: a bare hiredis loop that sends the very same commands.
//
// The commands are not written down here: MONITOR records what a lock sends for one acquire and one
// release (https://redis.io/docs/latest/commands/monitor/), and the loop sends the same words over
// a connection of its own. So the limit follows the stage when the stage changes.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <hiredis/hiredis.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/redis/address.h"

namespace bench {

using Command = std::vector<std::string>;  // its words

// The commands that clients send to `server` while `action` runs, in order; without those that
// scripts call. Throws core::ServerError.
[[nodiscard]] std::vector<Command> commands_during(const core::Address& server,
                                                   const std::function<void()>& action);

// The command in one line of MONITOR's output; empty if a script called it. Exposed for its test.
[[nodiscard]] Command parse_monitor_line(std::string_view monitor_line);

class Baseline {
 public:
  // Connects. Throws core::Unreachable.
  Baseline(const core::Address& server, std::vector<Command> commands);

  // Sends every command and waits for its reply, one after the other.
  void once();

  // The two halves, for a loop over several servers: `send` puts command `number` on the wire,
  // `receive` waits for one reply. Both throw std::runtime_error without a reply, or if it is an
  // error.
  void send(std::size_t number);
  void receive();

  // For a loop that does not wait for every reply: the descriptor to poll, and a read of all
  // replies that have arrived, which returns their count and waits only if none has. Throws as
  // `receive`.
  [[nodiscard]] int descriptor() const { return context_->fd; }
  [[nodiscard]] std::size_t receive_available();

 private:
  struct Encoded {
    Command words;
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
  };
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  // Throws std::runtime_error if a connection is broken, or `raw` is an error.
  void check_reply(void* raw) const;

  std::vector<Encoded> commands_;
  std::unique_ptr<redisContext, Free> context_;
};

}  // namespace bench
