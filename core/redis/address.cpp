#include "core/redis/address.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <stdexcept>

#include "core/redis/discovery.h"
#include "core/redis/key_slot.h"
#include "core/redis/url.h"

namespace core {
namespace {

std::optional<int> to_number(std::string_view digits, int least, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  if (number < least || number > most) return std::nullopt;
  return number;
}

}  // namespace

Address Address::parse(std::string_view text) {
  if (is_url(text)) return address_of_url(text);
  constexpr std::string_view unix_prefix = "unix:";
  if (text.starts_with(unix_prefix) && text.size() > unix_prefix.size()) {
    return {.host = {}, .port = 0, .unix_path = std::string(text.substr(unix_prefix.size()))};
  }
  const auto slash = text.rfind('/');
  const auto place = text.substr(0, slash);
  const auto colon = place.rfind(':');
  const bool has_host = colon != std::string_view::npos && colon > 0;
  const auto port = has_host ? to_number(place.substr(colon + 1), 1, 65535) : std::nullopt;
  const auto database = slash == std::string_view::npos
                            ? std::optional(0)
                            : to_number(text.substr(slash + 1), 0, 1'000'000);
  if (!port || !database) {
    throw std::invalid_argument(
        fmt::format("\"{}\" is not an address: write HOST:PORT, HOST:PORT/DATABASE or unix:PATH",
                    without_secret(text)));
  }
  return {.host = std::string(place.substr(0, colon)),
          .port = *port,
          .unix_path = {},
          .database = *database};
}

Address Address::for_key(std::string_view key) const {
  auto address = *this;
  if (discovery && discovery->kind == Discovery::Kind::cluster) address.slot = slot_of(key);
  return address;
}

std::string Address::server_text() const {
  if (discovery) return url_of(*this);
  return unix_path.empty() ? fmt::format("{}:{}", host, port) : "unix:" + unix_path;
}

std::string Address::text() const {
  return database == 0 ? server_text() : fmt::format("{}/{}", server_text(), database);
}

}  // namespace core
