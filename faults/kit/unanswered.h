// The commands of one connection that its server has not answered yet, in order, and which of them
// a message answers.
//
// A server answers in order, and sends some messages by itself: in RESP2 what is published to a
// subscriber, as an array; in RESP3 whatever is of the type push
// (https://redis.io/docs/latest/develop/reference/protocol-spec/#pushes). A subscription is
// confirmed once for each channel, in RESP3 by pushes.
//
// Thread-safety: none.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "faults/kit/resp.h"

namespace faults {

struct UnansweredCommand {
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  std::string name;             // in capitals
  std::string label;            // see `command_label`
  std::size_t place = nowhere;  // for the owner's use
  std::size_t replies = 1;      // that are to come
};

class UnansweredCommands {
 public:
  // `sent` is what was sent; it sets how many replies are to come.
  void add(UnansweredCommand command, const Message& sent);
  // The last one that was added never arrives.
  void take_back_last() { commands_.pop_back(); }

  // The command that `message` answers; it stays while more replies to it are to come. Nothing: the
  // server sent the message by itself. After bytes that are not RESP all are answered.
  [[nodiscard]] std::optional<UnansweredCommand> answered_by(const Message& message);

  [[nodiscard]] bool empty() const { return commands_.empty(); }
  // True if all of them keep their client waiting (`blocks`): no answer is due. Also if there is
  // none.
  [[nodiscard]] bool only_block() const;

 private:
  [[nodiscard]] bool is_by_itself(const Message& message) const;

  std::deque<UnansweredCommand> commands_;
  bool has_subscribed_ = false;
};

// The kind of a message that a server sends by itself, in small letters: "message", in whatever way
// it was subscribed to, "invalidate". Empty: it is an answer, to whatever.
[[nodiscard]] std::string push_name(const Message& message);

}  // namespace faults
