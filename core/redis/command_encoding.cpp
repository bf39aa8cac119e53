#include "core/redis/command_encoding.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace core {
namespace {

constexpr std::string_view line_end = "\r\n";
// The length of a line with a kind and a number is at most this.
constexpr std::size_t longest_line = 24;

char* put(char* at, std::string_view text) {
  return std::copy(text.begin(), text.end(), at);
}

char* put_line(char* at, char kind, std::size_t number) {
  *at = kind;
  return put(std::to_chars(at + 1, at + longest_line, number).ptr, line_end);
}

}  // namespace

void encode_command(std::string& bytes, std::span<const std::string_view> words) {
  auto room = longest_line;
  for (const auto word : words) room += longest_line + word.size() + line_end.size();
  bytes.resize(room);
  auto* at = put_line(bytes.data(), '*', words.size());
  for (const auto word : words) at = put(put(put_line(at, '$', word.size()), word), line_end);
  bytes.resize(static_cast<std::size_t>(at - bytes.data()));
}

}  // namespace core
