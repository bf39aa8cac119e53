// The clients of one world, each in a process of its own behind links, and the settings they start
// with.
//
// Thread-safety: none; the scenario's thread uses it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/address.h"
#include "faults/kit/client.h"
#include "faults/world/setup.h"

namespace faults {

class Clients {
 public:
  // `catch_up` is called before an answer is written into the history.
  Clients(Setup& setup, core::Address storage, std::function<void()> catch_up);

  // The client of that name; started, with links to `nodes`, when it is first asked for. Throws
  // CannotRun.
  [[nodiscard]] Client& get(const std::string& name, const std::vector<LockNode>& nodes);

  // Each of these applies to clients that start from now on.
  void set_default_lease(std::chrono::milliseconds time);
  [[nodiscard]] std::chrono::milliseconds default_lease() const { return default_lease_; }
  // How long they wait for a server's reply: for scenarios where one never comes. By default that
  // is long, so that a slow machine is not taken for a silent server.
  void set_reply_timeout(std::chrono::milliseconds time);
  // For how long they may renew one hold.
  void set_max_hold(std::chrono::milliseconds time);

  // Each of these is done to every client's link to that server.
  void shut_links_to(std::size_t node);
  void open_links_to(std::size_t node);
  void redirect_links_to(std::size_t node, const core::Address& address);

  // Ends them as their users do. Throws CannotRun.
  void say_bye();
  // Ends them at once.
  void clear() { clients_.clear(); }

 private:
  Setup& setup_;
  const core::Address storage_;
  const std::function<void()> catch_up_;
  std::map<std::string, std::unique_ptr<Client>> clients_;  // by name
  std::map<std::string, std::string> environment_;
  std::chrono::milliseconds default_lease_;
};

}  // namespace faults
