// The clients of one world, each in a process of its own with its links, and the settings they
// start with.
//
// Thread-safety: none; the scenario's thread uses it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/redis/address.h"
#include "faults/kit/client.h"
#include "faults/kit/clock.h"
#include "faults/kit/temp_dir.h"
#include "faults/world/setup.h"

namespace faults {

class Clients {
 public:
  // `catch_up` is called before an answer is written into the history.
  Clients(Setup& setup, core::Address storage, std::function<void()> catch_up);

  // The client of that name; started, with links to `nodes`, when it is first asked for. Throws
  // CannotRun.
  [[nodiscard]] Client& get(const std::string& name, std::vector<LockNode> nodes);

  // Each of these applies to clients that start from now on.
  void set_default_lease(std::chrono::milliseconds time);
  [[nodiscard]] std::chrono::milliseconds default_lease() const { return default_lease_; }
  // How long they wait for a server's reply: for scenarios where one never comes. By default that
  // is long, so that a slow machine is not taken for a silent server.
  void set_reply_timeout(std::chrono::milliseconds time);
  // For how long they may renew one hold.
  void set_max_hold(std::chrono::milliseconds time);

  // The client of that name first renews a lock of its own once.
  void renew_first(std::string name) { renews_first_ = std::move(name); }

  // They find their first server by themselves, which is named by this port. Only for clients that
  // can: see `TestedLock::finds_servers`.
  void set_search(ServerSearch search, int announced);

  // Gives each a wall clock of its own.
  void give_wall_clocks() { have_wall_clocks_ = true; }
  // Moves that of `client` ahead, or back if `by` is negative. Throws NotExercised if its program
  // does not read it, as one that is linked statically, or in Go.
  void step_wall_clock(Client& client, std::chrono::milliseconds by);

  // Each of these is done to every client's link to that server.
  void shut_links_to(std::size_t node);
  void open_links_to(std::size_t node);
  void redirect_links_to(std::size_t node, const core::Address& address);

  // Throws ProgramDied if one of a foreign lock has ended by itself.
  void must_not_have_died();
  // Ends them as their users do. Throws CannotRun.
  void say_bye();
  // Ends them at once.
  void clear() { clients_.clear(); }

 private:
  // Makes the clock of the client of that name, and returns the environment that leads to it.
  [[nodiscard]] std::map<std::string, std::string> wall_clock_of(const std::string& name);

  Setup& setup_;
  const core::Address storage_;
  const std::function<void()> catch_up_;
  std::map<std::string, std::unique_ptr<Client>> clients_;  // by name
  std::map<std::string, std::string> environment_;
  std::string renews_first_;  // a client
  std::optional<ServerSearch> search_;
  int announced_ = 0;
  std::chrono::milliseconds default_lease_;
  bool have_wall_clocks_ = false;
  std::unique_ptr<TempDir> clock_files_;
  std::map<std::string, std::unique_ptr<Clock>> clocks_;  // by client
};

}  // namespace faults
