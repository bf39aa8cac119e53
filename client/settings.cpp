#include "client/settings.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "core/url.h"

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

// The parts between commas; the hosts of a deployment's URL, which ends with a "/", are one part.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  bool is_open = false;
  std::istringstream input(text);
  for (std::string part; std::getline(input, part, ',');) {
    if (is_open) {
      parts.back() += "," + part;
    } else {
      parts.push_back(part);
    }
    const auto scheme = parts.back().find("://");
    is_open = core::is_deployment_url(parts.back()) &&
              parts.back().find('/', scheme + 3) == std::string::npos;
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
