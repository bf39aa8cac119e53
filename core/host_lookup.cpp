#include "core/host_lookup.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <thread>

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
  // Never destroyed: a lookup may be under way when the process ends.
  static auto& mutex = *new std::mutex;
  static auto& under_way = *new std::map<std::string, std::weak_ptr<HostLookup>>;
  const std::lock_guard guard(mutex);
  std::erase_if(under_way, [](const auto& entry) { return entry.second.expired(); });
  if (const auto known = under_way.find(host); known != under_way.end()) {
    const auto lookup = known->second.lock();
    if (lookup && !lookup->is_done()) return lookup;
  }
  const auto lookup = std::make_shared<HostLookup>(host);
  under_way[host] = lookup;
  std::thread([lookup] { lookup->run(); }).detach();
  return lookup;
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
    failure_ = fmt::format("cannot resolve {}: {}", host_, gai_strerror(code));
  } else {
    for (const auto family : {AF_INET, AF_INET6}) {
      for (const auto* info = found; info != nullptr; info = info->ai_next) {
        if (info->ai_family == family) addresses_.push_back(to_numeric(*info));
      }
    }
    freeaddrinfo(found);
    if (addresses_.empty()) failure_ = fmt::format("cannot resolve {}: it has no address", host_);
  }
  done_ = true;
  done_event_.wake();
}

bool HostLookup::wait_for(std::chrono::milliseconds time) const {
  auto event = to_poll();
  poll(&event, 1, static_cast<int>(time.count()));
  return is_done();
}

}  // namespace core
