#include "core/redis/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>

#include "core/redis/discovery.h"

namespace core {
namespace {

enum class Target { server, sentinels, cluster };

struct Scheme {
  std::string_view text;
  Target target;
  bool with_tls;
  int port;  // the one that hosts have who name none
};

constexpr std::array<Scheme, 6> schemes{{
    {.text = "redis://", .target = Target::server, .with_tls = false, .port = 6379},
    {.text = "rediss://", .target = Target::server, .with_tls = true, .port = 6379},
    {.text = "redis-sentinel://", .target = Target::sentinels, .with_tls = false, .port = 26379},
    {.text = "rediss-sentinel://", .target = Target::sentinels, .with_tls = true, .port = 26379},
    {.text = "redis-cluster://", .target = Target::cluster, .with_tls = false, .port = 6379},
    {.text = "rediss-cluster://", .target = Target::cluster, .with_tls = true, .port = 6379},
}};

// Null if `text` is not a URL.
const Scheme* scheme_of(std::string_view text) {
  const auto* found = std::find_if(schemes.begin(), schemes.end(), [text](const Scheme& scheme) {
    return text.starts_with(scheme.text);
  });
  return found == schemes.end() ? nullptr : found;
}

// The fault in a part of the URL; the final message names the whole URL.
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

// "HOST" or "HOST:PORT" of a server that may be the first of several.
Address host_from(std::string_view text, int port) {
  const auto colon = text.rfind(':');
  // A literal IPv6 address is in brackets.
  const bool has_port =
      colon != std::string_view::npos && text.find(']', colon) == std::string_view::npos;
  auto address = Address::parse(has_port ? std::string(text) : fmt::format("{}:{}", text, port));
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  return address;
}

int database_from(std::string_view digits) {
  return digits.empty() ? 0 : Address::parse(fmt::format("host:1/{}", digits)).database;
}

// The text "HOST:PORT,HOST:PORT/MASTER/DATABASE".
Address deployment_from(std::string_view place, const Scheme& scheme,
                        const std::shared_ptr<const Access>& access) {
  const bool by_sentinels = scheme.target == Target::sentinels;
  auto hosts = take_until(place, '/');
  const auto master = take_until(place, '/');
  if (by_sentinels && master.empty()) throw Wrong("after the hosts there must be /MASTER");
  if (!by_sentinels && !master.empty()) throw Wrong("a Cluster has one database");
  Discovery discovery{.kind = by_sentinels ? Discovery::Kind::sentinel : Discovery::Kind::cluster,
                      .asked = {},
                      .master = std::string(master)};
  const auto tls_alone = [&] { return Access{.user = {}, .password = {}, .tls = access->tls}; };
  while (!hosts.empty()) {
    auto asked = host_from(take_until(hosts, ','), scheme.port);
    if (!by_sentinels) asked.access = access;
    if (by_sentinels && scheme.with_tls) asked.access = std::make_shared<const Access>(tls_alone());
    discovery.asked.push_back(std::move(asked));
  }
  if (discovery.asked.empty()) throw Wrong("it names no host");
  return {.host = {},
          .port = 0,
          .unix_path = {},
          .database = database_from(place),
          .access = access,
          .discovery = std::make_shared<const Discovery>(std::move(discovery))};
}

Address server_from(std::string_view place, const Scheme& scheme,
                    const std::shared_ptr<const Access>& access) {
  auto address = host_from(take_until(place, '/'), scheme.port);
  address.database = database_from(place);
  address.access = access;
  return address;
}

Address address_from(std::string_view rest, const Scheme& scheme) {
  std::optional<Access> access;
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    access = access_from(rest.substr(0, at));
    rest.remove_prefix(at + 1);
  }
  const auto place = take_until(rest, '?');
  if (scheme.with_tls) {
    if (!access) access.emplace();
    access->tls.emplace();
  }
  while (!rest.empty()) {
    if (!scheme.with_tls) throw Wrong("only rediss:// takes options");
    add_option(*access->tls, take_until(rest, '&'));
  }
  const auto shared = access ? std::make_shared<const Access>(std::move(*access)) : nullptr;
  return scheme.target == Target::server ? server_from(place, scheme, shared)
                                         : deployment_from(place, scheme, shared);
}

std::string form_of(const Scheme& scheme) {
  switch (scheme.target) {
    case Target::server: return "USER:PASSWORD@HOST:PORT/DATABASE";
    case Target::sentinels: return "USER:PASSWORD@HOST:PORT,HOST:PORT/MASTER/DATABASE";
    case Target::cluster: return "USER:PASSWORD@HOST:PORT,HOST:PORT";
  }
  return {};
}

}  // namespace

bool is_url(std::string_view text) {
  return scheme_of(text) != nullptr;
}

bool is_deployment_url(std::string_view text) {
  const auto* scheme = scheme_of(text);
  return scheme != nullptr && scheme->target != Target::server;
}

Address address_of_url(std::string_view url) {
  const auto& scheme = *scheme_of(url);
  try {
    return address_from(url.substr(scheme.text.size()), scheme);
  } catch (const Wrong& wrong) {
    throw std::invalid_argument(
        fmt::format("\"{}\" is not an address: {}", without_secret(url), wrong.what()));
  } catch (const std::invalid_argument&) {
    throw std::invalid_argument(fmt::format("\"{}\" is not an address: write {}{}",
                                            without_secret(url), scheme.text, form_of(scheme)));
  }
}

std::string url_of(const Address& address) {
  const auto& discovery = *address.discovery;
  const bool by_sentinels = discovery.kind == Discovery::Kind::sentinel;
  std::string hosts;
  for (const auto& asked : discovery.asked) {
    fmt::format_to(std::back_inserter(hosts), "{}{}", hosts.empty() ? "" : ",", asked.text());
  }
  return fmt::format("redis{}-{}://{}{}{}", address.access && address.access->tls ? "s" : "",
                     by_sentinels ? "sentinel" : "cluster", hosts, by_sentinels ? "/" : "",
                     discovery.master);
}

std::string without_secret(std::string_view text) {
  const auto at = text.rfind('@');
  return at == std::string_view::npos ? std::string(text) : fmt::format("…{}", text.substr(at));
}

}  // namespace core
