#include "core/url.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>
#include <stdexcept>

namespace core {
namespace {

constexpr std::string_view plain_scheme = "redis://";
constexpr std::string_view tls_scheme = "rediss://";

// The fault in a part of the URL, to be told with all of it.
class Wrong : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The text before the first `end`, which is taken off `rest` with it; all of it without one.
std::string_view take_until(std::string_view& rest, char end) {
  const auto at = rest.find(end);
  const auto taken = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return taken;
}

std::string decoded(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    unsigned char byte = static_cast<unsigned char>(text.front());
    std::size_t length = 1;
    if (byte == '%') {
      const auto* digits = text.data() + 1;
      length = 3;
      if (text.size() < length || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
        throw Wrong("after % there must be two hexadecimal digits");
      }
    }
    result.push_back(static_cast<char>(byte));
    text.remove_prefix(length);
  }
  return result;
}

Access access_from(std::string_view credentials) {
  const auto user = take_until(credentials, ':');
  return {.user = decoded(user), .password = decoded(credentials)};
}

void add_option(Tls& tls, std::string_view option) {
  const auto name = take_until(option, '=');
  auto value = decoded(option);
  if (name == "ca") {
    tls.ca_file = std::move(value);
  } else if (name == "cert") {
    tls.certificate_file = std::move(value);
  } else if (name == "key") {
    tls.key_file = std::move(value);
  } else if (name == "name") {
    tls.server_name = std::move(value);
  } else {
    throw Wrong("its options are ca, cert, key and name");
  }
}

// "HOST", "HOST:PORT" and the same with "/DATABASE", as HOST:PORT/DATABASE.
std::string with_port(std::string_view place) {
  const auto host_and_port = take_until(place, '/');
  const auto colon = host_and_port.rfind(':');
  // A literal IPv6 address stands in brackets.
  const bool has_port =
      colon != std::string_view::npos && host_and_port.find(']', colon) == std::string_view::npos;
  return fmt::format("{}{}{}{}", host_and_port, has_port ? "" : ":6379", place.empty() ? "" : "/",
                     place);
}

Address address_from(std::string_view rest, bool with_tls) {
  std::optional<Access> access;
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    access = access_from(rest.substr(0, at));
    rest.remove_prefix(at + 1);
  }
  const auto place = take_until(rest, '?');
  if (with_tls) {
    if (!access) access.emplace();
    access->tls.emplace();
  }
  while (!rest.empty()) {
    if (!with_tls) throw Wrong("only rediss:// takes options");
    add_option(*access->tls, take_until(rest, '&'));
  }
  auto address = Address::parse(with_port(place));
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  if (access) address.access = std::make_shared<const Access>(std::move(*access));
  return address;
}

}  // namespace

bool is_url(std::string_view text) {
  return text.starts_with(plain_scheme) || text.starts_with(tls_scheme);
}

Address address_of_url(std::string_view url) {
  const bool with_tls = url.starts_with(tls_scheme);
  try {
    return address_from(url.substr((with_tls ? tls_scheme : plain_scheme).size()), with_tls);
  } catch (const Wrong& wrong) {
    throw std::invalid_argument(
        fmt::format("\"{}\" is not an address: {}", without_secret(url), wrong.what()));
  } catch (const std::invalid_argument&) {
    throw std::invalid_argument(
        fmt::format("\"{}\" is not an address: write redis://USER:PASSWORD@HOST:PORT/DATABASE",
                    without_secret(url)));
  }
}

std::string without_secret(std::string_view text) {
  const auto at = text.rfind('@');
  return at == std::string_view::npos ? std::string(text) : fmt::format("…{}", text.substr(at));
}

}  // namespace core
