#include "faults/kit/unanswered.h"

#include <algorithm>
#include <utility>

#include "faults/kit/command_names.h"

namespace faults {
namespace {

bool changes_subscription(const std::string& command) {
  return command.ends_with("SUBSCRIBE");
}

// In RESP2 only its first word and their number tell it from an array that a command asked for.
bool is_published(const Message& message) {
  if (message.words.empty()) return false;
  const auto& kind = message.words.front();
  const auto size = message.words.size();
  return ((kind == "message" || kind == "smessage") && size == 3) ||
         (kind == "pmessage" && size == 4);
}

}  // namespace

void UnansweredCommands::add(UnansweredCommand command, const Message& sent) {
  if (changes_subscription(command.name)) {
    has_subscribed_ = true;
    command.replies = std::max<std::size_t>(1, sent.words.size() - 1);
  }
  commands_.push_back(std::move(command));
}

bool UnansweredCommands::only_block() const {
  return std::all_of(commands_.begin(), commands_.end(),
                     [](const UnansweredCommand& command) { return blocks(command.name); });
}

bool UnansweredCommands::is_by_itself(const Message& message) const {
  if (!message.is_push) return has_subscribed_ && is_published(message);
  const auto confirmed = in_capitals(push_name(message));
  return commands_.empty() || !changes_subscription(confirmed) ||
         commands_.front().name != confirmed;
}

std::optional<UnansweredCommand> UnansweredCommands::answered_by(const Message& message) {
  if (!message.readable) {
    commands_.clear();
    return UnansweredCommand{.name = "BYTES", .label = "BYTES"};
  }
  if (commands_.empty() || is_by_itself(message)) return std::nullopt;
  auto& first = commands_.front();
  // An error is the only reply, whatever the number of channels.
  const bool is_error = !message.words.empty() && message.bytes.front() == '-';
  if (!is_error && --first.replies > 0) return first;
  auto answered = std::move(first);
  commands_.pop_front();
  return answered;
}

std::string push_name(const Message& message) {
  if (is_published(message)) return "message";
  return message.is_push && !message.words.empty() ? message.words.front() : "";
}

}  // namespace faults
