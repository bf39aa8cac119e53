#include "faults/kit/text_width.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace faults {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// The wide and the full-width characters of East Asian scripts.
constexpr std::array wide{
    Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0xA4CF}, Range{0xAC00, 0xD7A3},
    Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},   Range{0xFF01, 0xFF60}, Range{0xFFE0, 0xFFE6},
    Range{0x1F300, 0x1FAFF}, Range{0x20000, 0x3FFFD},
};

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;  // RFC 3629, section 3
}

std::uint32_t code_point(std::string_view character) {
  constexpr std::array<unsigned, 5> payload{0, 0x7F, 0x1F, 0x0F, 0x07};  // of the first byte
  const auto length = std::min<std::size_t>(character.size(), 4);
  std::uint32_t code = static_cast<unsigned char>(character[0]) & payload.at(length);
  for (const char byte : character.substr(1, length - 1)) {
    code = (code << 6U) | (static_cast<unsigned char>(byte) & 0x3FU);
  }
  return code;
}

}  // namespace

std::size_t length_of_first(std::string_view text) {
  if (text.empty()) return 0;
  std::size_t length = 1;
  while (length < text.size() && continues(text[length])) ++length;
  return length;
}

std::size_t width_in_columns(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const auto length = length_of_first(text);
    const auto code = code_point(text.substr(0, length));
    const bool is_wide = std::any_of(wide.begin(), wide.end(), [&](const Range& range) {
      return code >= range.first && code <= range.last;
    });
    columns += is_wide ? 2 : 1;
    text.remove_prefix(length);
  }
  return columns;
}

}  // namespace faults
