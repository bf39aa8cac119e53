#include "faults/client/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "core/redis/url.h"

namespace client {
namespace {

std::string required(const char* variable) {
  const char* value = std::getenv(variable);
  if (value != nullptr && *value != '\0') return value;
  throw std::invalid_argument(
      fmt::format("{} is not set: a lock client is started by the lab, which sets it "
                  "(docs/client-protocol.md)",
                  variable));
}

core::Address address(const char* variable, const std::string& text) {
  try {
    return core::Address::parse(text);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", variable, error.what()));
  }
}

// The length of the address that a list begins with. A comma ends it, unless it is in a password or
// between the hosts of a deployment's URL, which end with a "/".
std::size_t first_length(std::string_view list) {
  if (!core::is_url(list)) return list.find(',');
  auto next_url = list.find(',');
  while (next_url != std::string_view::npos && !core::is_url(list.substr(next_url + 1))) {
    next_url = list.find(',', next_url + 1);
  }
  // The credentials are all that precedes the last "@" before the next URL.
  const auto text = list.substr(0, next_url);
  const auto at = text.rfind('@');
  const auto hosts = at == std::string_view::npos ? text.find("://") + 3 : at + 1;
  const auto end_of_hosts = core::is_deployment_url(text) ? text.find('/', hosts) : hosts;
  return std::min(text.find(',', std::min(end_of_hosts, text.size())), text.size());
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const auto length = std::min(first_length(list), list.size());
    parts.emplace_back(list.substr(0, length));
    list.remove_prefix(std::min(length + 1, list.size()));
  }
  return parts;
}

std::optional<std::chrono::milliseconds> milliseconds_in(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  char* end = nullptr;
  const long number = std::strtol(value, &end, 10);
  if (*value == '\0' || *end != '\0' || number <= 0) {
    throw std::invalid_argument(
        fmt::format("{} is \"{}\": it must be a number of milliseconds above 0", variable, value));
  }
  return std::chrono::milliseconds(number);
}

}  // namespace

Settings settings_from_environment() {
  Settings settings;
  settings.name = required("LOCK_CLIENT");
  for (const auto& node : split(required("LOCK_NODES"))) {
    settings.nodes.push_back(address("LOCK_NODES", node));
  }
  settings.storage = address("LOCK_STORAGE", required("LOCK_STORAGE"));
  settings.lease = milliseconds_in("LOCK_LEASE_MS").value_or(settings.lease);
  settings.max_hold = milliseconds_in("LOCK_MAX_HOLD_MS");
  settings.timeout = milliseconds_in("LOCK_TIMEOUT_MS").value_or(settings.timeout);
  return settings;
}

}  // namespace client
