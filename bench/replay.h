// The limit of a lock: what a bare hiredis loop does that sends the very same commands.
//
// The commands are not written down here, they are heard: the server tells by MONITOR what a lock
// sends for one acquire and one release (https://redis.io/docs/latest/commands/monitor/), and the
// loop sends that again, word for word, over a connection of its own. So the limit of a stage
// follows the stage, whatever it comes to send.
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

#include "core/address.h"

namespace bench {

using Words = std::vector<std::string>;

// The commands that clients send to `server` while `something` is done, with all their words, in
// order; not those inside scripts. Throws core::ServerError.
[[nodiscard]] std::vector<Words> heard_during(const core::Address& server,
                                              const std::function<void()>& something);

// The words of one line of MONITOR's; none if a script gave the command. Exposed for its test.
[[nodiscard]] Words words_of(std::string_view monitor_line);

class Replay {
 public:
  // Connects. Throws core::Unreachable.
  Replay(const core::Address& server, std::vector<Words> commands);

  // Sends every command and waits for its reply, one after the other.
  void once();

  // The two halves, for a loop that has several servers: puts command `number` on the wire, and
  // waits for one reply. Throw std::runtime_error if there is none, or it is an error.
  void send(std::size_t number);
  void receive();

  // For a loop that does not wait for all of them: where replies come in, and how many have, read
  // at once; waits only if nothing is there. Throws as `receive`.
  [[nodiscard]] int descriptor() const { return context_->fd; }
  [[nodiscard]] std::size_t receive_what_came();

 private:
  struct Command {
    Words words;
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
  };
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  // Throws std::runtime_error if a connection is broken, or `raw` is an error.
  void must_be_an_answer(void* raw) const;

  std::vector<Command> commands_;
  std::unique_ptr<redisContext, Free> context_;
};

}  // namespace bench
