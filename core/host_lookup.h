// Looks up the addresses of a host name without blocking the thread that asks: getaddrinfo(3) can
// take as long as the name servers are silent, and a thread that renews the leases of many locks
// must not stand still for that.
//
// Each lookup has a thread of its own, which nobody waits for; all that ask for the same name
// meanwhile share it. Thread-safety: safe to share.
#pragma once

#include <poll.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/wake_up.h"

namespace core {

class HostLookup {
 public:
  // Begins a lookup of `host`, or joins one that is under way.
  [[nodiscard]] static std::shared_ptr<const HostLookup> of(const std::string& host);

  // "127.0.0.1" and "::1" need no lookup.
  [[nodiscard]] static bool is_numeric(const std::string& host);

  // Readable once it is done.
  [[nodiscard]] pollfd to_poll() const { return done_event_.to_poll(); }
  [[nodiscard]] bool is_done() const { return done_; }
  // Waits for at most `time`; is it done?
  [[nodiscard]] bool wait_for(std::chrono::milliseconds time) const;

  // Once it is done: the numeric addresses, IPv4 first; if there are none, the reason.
  [[nodiscard]] const std::vector<std::string>& addresses() const { return addresses_; }
  [[nodiscard]] const std::string& failure() const { return failure_; }

  explicit HostLookup(std::string host) : host_(std::move(host)) {}

 private:
  void run();

  const std::string host_;
  std::vector<std::string> addresses_;
  std::string failure_;
  std::atomic<bool> done_{false};
  WakeUp done_event_;
};

}  // namespace core
