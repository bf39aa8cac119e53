#include "faults/kit/told_addresses.h"

#include <algorithm>
#include <array>

namespace faults {
namespace {

constexpr std::size_t digits = 5;

// "+switch-master", "-sdown" and the like, and what Sentinels tell each other.
bool is_channel_of_sentinels(std::string_view channel) {
  return channel.starts_with('+') || channel.starts_with('-') ||
         channel.starts_with("__sentinel__");
}

void drop_suffix(std::string_view& text, std::string_view suffix) {
  if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
}

// `text` precedes a number.
bool is_before_a_port(std::string_view text) {
  drop_suffix(text, "$5\r\n");  // its length, if it is a string of its own
  const auto last = text.find_last_not_of(":=, \r\n");
  text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  return text.ends_with("127.0.0.1") || text.ends_with("port");
}

}  // namespace

bool may_tell_addresses(std::string_view command, const Message& message) {
  constexpr std::array<std::string_view, 4> commands{"SENTINEL", "CLUSTER", "ROLE", "INFO"};
  if (std::find(commands.begin(), commands.end(), command) != commands.end()) return true;
  constexpr std::array<std::string_view, 3> errors{"-MOVED ", "-ASK ", "-REDIRECT "};
  const auto begins = [&](std::string_view error) { return message.bytes.starts_with(error); };
  if (std::any_of(errors.begin(), errors.end(), begins)) return true;
  // A channel precedes what is published in it.
  return command == "message" && message.words.size() >= 3 &&
         is_channel_of_sentinels(message.words[message.words.size() - 2]);
}

void translate_ports(std::string& bytes, const ToldPorts& ports) {
  for (std::size_t at = 0; at < bytes.size();) {
    const auto begin = bytes.find_first_of("0123456789", at);
    if (begin == std::string::npos) return;
    at = std::min(bytes.find_first_not_of("0123456789", begin), bytes.size());
    if (at - begin != digits) continue;
    const auto known = ports.find(std::stoi(bytes.substr(begin, digits)));
    if (known == ports.end()) continue;
    if (!is_before_a_port(std::string_view(bytes).substr(0, begin))) continue;
    bytes.replace(begin, digits, std::to_string(known->second));
  }
}

}  // namespace faults
