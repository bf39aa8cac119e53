// Looks up the addresses of a host name without blocking the thread that asks: getaddrinfo(3) can
// take as long as the name servers are silent.
//
// Thread-safety: safe to share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/redis/lookup.h"

namespace core {

class HostLookup : public Lookup {
 public:
  // Begins a lookup of `host`, or joins one that is under way.
  [[nodiscard]] static std::shared_ptr<const HostLookup> of(const std::string& host);

  // "127.0.0.1" and "::1" need no lookup.
  [[nodiscard]] static bool is_numeric(const std::string& host);

  // Once it is done: the numeric addresses, IPv4 first; if there are none, `failure()` says why.
  [[nodiscard]] const std::vector<std::string>& addresses() const { return addresses_; }

  explicit HostLookup(std::string host) : host_(std::move(host)) {}

  // For core/redis/lookup.h.
  void run();

 private:
  const std::string host_;
  std::vector<std::string> addresses_;
};

}  // namespace core
