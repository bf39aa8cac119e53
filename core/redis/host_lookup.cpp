#include "core/redis/host_lookup.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <array>

namespace core {
namespace {

// The address as numbers, in text.
std::string to_numeric(const addrinfo& info) {
  std::array<char, NI_MAXHOST> text{};
  const auto failed = getnameinfo(info.ai_addr, info.ai_addrlen, text.data(),
                                  static_cast<socklen_t>(text.size()), nullptr, 0, NI_NUMERICHOST);
  return failed == 0 ? text.data() : std::string{};
}

}  // namespace

std::shared_ptr<const HostLookup> HostLookup::of(const std::string& host) {
  return begin_or_join<HostLookup>(host);
}

bool HostLookup::is_numeric(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

void HostLookup::run() {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const auto code = getaddrinfo(host_.c_str(), nullptr, &hints, &found); code != 0) {
    return finish(fmt::format("cannot resolve {}: {}", host_, gai_strerror(code)));
  }
  for (const auto family : {AF_INET, AF_INET6}) {
    for (const auto* info = found; info != nullptr; info = info->ai_next) {
      if (info->ai_family == family) addresses_.push_back(to_numeric(*info));
    }
  }
  freeaddrinfo(found);
  finish(addresses_.empty() ? fmt::format("cannot resolve {}: it has no address", host_) : "");
}

}  // namespace core
