#include "core/redis/connection_setup.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <vector>

#include "core/redis/command_encoding.h"

namespace core {

ConnectionSetup ConnectionSetup::of(const Address& address) {
  ConnectionSetup setup;
  const auto add = [&setup](const std::vector<std::string_view>& words) {
    std::string bytes;
    encode_command(bytes, words);
    setup.bytes += bytes;
    ++setup.replies;
  };
  const auto* access = address.access.get();
  if (access != nullptr && !access->password.empty()) {
    const std::string_view user = access->user.empty() ? "default" : std::string_view(access->user);
    add({"AUTH", user, access->password.reveal()});
  }
  if (address.database != 0) add({"SELECT", std::to_string(address.database)});
  if (address.must_be_master) add({"ROLE"});
  return setup;
}

std::string setup_refused(const Address& address, std::string_view error) {
  std::string reason(error);
  if (address.access && !address.access->password.empty()) {
    const auto& secret = address.access->password.reveal();
    for (auto at = reason.find(secret); at != std::string::npos; at = reason.find(secret, at)) {
      reason.replace(at, secret.size(), "…");
    }
  }
  return fmt::format("{} does not let us in: {}", address.text(), reason);
}

std::string not_the_master(const Address& address, const Reply& reply) {
  if (reply.parts() == 0 || reply.text(0) == "master") return {};
  return fmt::format("{} is a replica and not the master", address.text());
}

}  // namespace core
