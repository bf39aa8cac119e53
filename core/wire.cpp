#include "core/wire.h"

#include <array>
#include <charconv>

namespace core {
namespace {

void add_line(std::string& bytes, char kind, std::size_t number) {
  std::array<char, 24> line{kind};
  auto* end = std::to_chars(line.data() + 1, line.data() + line.size(), number).ptr;
  *end++ = '\r';
  *end++ = '\n';
  bytes.append(line.data(), end);
}

}  // namespace

void put_command(std::string& bytes, std::span<const std::string_view> words) {
  bytes.clear();
  add_line(bytes, '*', words.size());
  for (const auto word : words) {
    add_line(bytes, '$', word.size());
    bytes.append(word).append("\r\n");
  }
}

}  // namespace core
