#include "stage8_fencing/fenced_hold.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

namespace stage8 {

HoldName HoldName::of(const Entry& entry) {
  if (entry.hold) {
    return {.token = entry.hold->token(), .fencing = fencing_token_of(*entry.hold)};
  }
  if (entry.begins) return {.token = entry.token};
  const auto slash = entry.token.find('/');
  std::uint64_t fencing = 0;
  const auto* end = entry.token.data() + entry.token.size();
  const auto* begin = slash == std::string::npos ? end : entry.token.data() + slash + 1;
  const auto parsed = std::from_chars(begin, end, fencing);
  if (parsed.ec != std::errc{} || parsed.ptr != end || fencing == 0) {
    throw std::invalid_argument("this is not what hold_token() returned");
  }
  return {.token = std::string_view(entry.token).substr(0, slash), .fencing = fencing};
}

std::string HoldName::text() const {
  return fmt::format("{}/{}", token, fencing);
}

}  // namespace stage8
