#include "core/redis/key_slot.h"

#include <cstdint>

namespace core {
namespace {

// CRC-16/XMODEM.
std::uint16_t crc16(std::string_view bytes) {
  constexpr std::uint32_t polynomial = 0x1021;
  std::uint32_t crc = 0;
  for (const char byte : bytes) {
    crc ^= static_cast<std::uint32_t>(static_cast<unsigned char>(byte)) << 8U;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000U) != 0 ? (crc << 1U) ^ polynomial : crc << 1U;
    }
  }
  return static_cast<std::uint16_t>(crc);
}

std::string_view hash_tag(std::string_view key) {
  const auto open = key.find('{');
  if (open == std::string_view::npos) return key;
  const auto close = key.find('}', open + 1);
  if (close == std::string_view::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

}  // namespace

int slot_of(std::string_view key) {
  constexpr int slots = 16'384;
  return crc16(hash_tag(key)) % slots;
}

}  // namespace core
