#include "core/address.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

namespace core {

Address Address::parse(std::string_view text) {
  constexpr std::string_view unix_prefix = "unix:";
  if (text.starts_with(unix_prefix) && text.size() > unix_prefix.size()) {
    return {.host = {}, .port = 0, .unix_path = std::string(text.substr(unix_prefix.size()))};
  }
  const auto colon = text.rfind(':');
  int port = 0;
  if (colon != std::string_view::npos && colon > 0) {
    const auto digits = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc{} || end != digits.data() + digits.size()) port = 0;
  }
  if (port < 1 || port > 65535) {
    throw std::invalid_argument(
        fmt::format("\"{}\" is not an address: write HOST:PORT or unix:PATH", text));
  }
  return {.host = std::string(text.substr(0, colon)), .port = port, .unix_path = {}};
}

std::string Address::text() const {
  return unix_path.empty() ? fmt::format("{}:{}", host, port) : "unix:" + unix_path;
}

}  // namespace core
