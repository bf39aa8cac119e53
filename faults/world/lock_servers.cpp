#include "faults/world/lock_servers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <thread>

#include "faults/kit/errors.h"
#include "faults/kit/other_servers/other_server.h"

namespace faults {
namespace {

using std::chrono::milliseconds;

// Neither killed nor frozen.
bool is_well(LockServer& server) {
  return server.process().running() && !server.process().frozen();
}

std::unique_ptr<LockServer> make_redis(Setup& setup, const std::string& name) {
  const auto durability =
      setup.lock.keeps_data ? RedisServer::Durability::keeps : RedisServer::Durability::forgets;
  return std::make_unique<RedisServer>(setup.redis, setup.loop, setup.history, setup.reaper, name,
                                       setup.directory / (name + ".log"), durability,
                                       std::vector<std::string>{}, setup.pool);
}

std::vector<std::string> names_of(const TestedLock& lock) {
  if (lock.nodes == 1) return {lock.stands_on_redis() ? "redis" : lock.facts->server};
  std::vector<std::string> names;
  for (int i = 1; i <= lock.nodes; ++i) names.push_back(fmt::format("node{}", i));
  return names;
}

// The lock's servers, of its kind. Throws CannotRun.
std::vector<std::unique_ptr<LockServer>> make_servers(Setup& setup) {
  const auto names = names_of(setup.lock);
  std::vector<std::unique_ptr<LockServer>> servers;
  if (setup.lock.stands_on_redis()) {
    for (const auto& name : names) servers.push_back(make_redis(setup, name));
    return servers;
  }
  for (auto& server : start_other_servers(setup.lock.facts->server, names, setup.history,
                                          setup.reaper, setup.directory)) {
    servers.push_back(std::move(server));
  }
  return servers;
}

}  // namespace

LockServers::LockServers(Setup& setup, Clients& clients) : setup_(setup), clients_(clients) {
  servers_ = make_servers(setup);
  first_ = servers_.front().get();
  for (std::size_t i = 0; i < size(); ++i) {
    set_marker(i);
    if (setup.lock.stands_on_redis()) load_scripts(at(i));
    watch(server(i));
  }
}

void LockServers::get_ready(RedisServer& server) {
  load_scripts(server);
  watch(server);
}

// The first call of a script that is not known would be a boundary more.
void LockServers::load_scripts(RedisServer& server) {
  for (const auto& script : scripts_of(setup_.lock)) {
    (void)server.direct().command({"SCRIPT", "LOAD", script.text});
  }
}

RedisServer& LockServers::at(std::size_t i) {
  auto* redis = dynamic_cast<RedisServer*>(&server(i));
  if (redis == nullptr) throw NotExercised(server(i).name() + " is no Redis server");
  return *redis;
}

void LockServers::set_marker(std::size_t i) {
  const auto& marker = setup_.lock.marker;
  if (!marker.empty()) (void)at(i).direct().command({"SET", marker, "1"});
}

void LockServers::watch(LockServer& server) {
  setup_.stalls.watch(server.process().id());
}

void LockServers::kill(std::size_t i) {
  server(i).kill();
  clients_.shut_links_to(i);
}

void LockServers::restart(std::size_t i) {
  bring_back(i);
  clients_.open_links_to(i);
}

void LockServers::bring_back(std::size_t i) {
  server(i).start();
  set_marker(i);
  watch(server(i));
}

void LockServers::restart_empty(std::size_t i) {
  server(i).kill();
  server(i).start_empty();
  watch(server(i));
}

void LockServers::kill_last(std::size_t count) {
  for (auto i = size() - count; i < size(); ++i) kill(i);
}

void LockServers::restart_last(std::size_t count) {
  for (auto i = size() - count; i < size(); ++i) restart(i);
}

void LockServers::restart_last_for(Client& client, std::size_t count) {
  for (auto i = size() - count; i < size(); ++i) {
    bring_back(i);
    client.lock_link(i).open();
  }
}

void LockServers::freeze_last(std::size_t count) {
  for (auto i = size() - count; i < size(); ++i) {
    server(i).freeze();
    if (!server(i).process().frozen()) {
      throw NotExercised(server(i).name() + " was to be frozen, and still runs");
    }
    setup_.history.add(server(i).name(), Kind::fault, {{"what", fault::frozen}});
  }
}

void LockServers::thaw_last(std::size_t count) {
  for (auto i = size() - count; i < size(); ++i) {
    if (!server(i).process().frozen()) {
      throw NotExercised(server(i).name() + " was to be frozen, and went on");
    }
    setup_.history.add(server(i).name(), Kind::fault, {{"what", fault::thawed}});
    server(i).thaw();
  }
}

void LockServers::demote_all() {
  for (std::size_t i = 0; i < size(); ++i) {
    // A replica keeps its data until it has found its master, and that address has no listener.
    at(i).retire();
    (void)at(i).direct().command({"REPLICAOF", "127.0.0.1", "1"});
    setup_.history.add(at(i).name(), Kind::fault, {{"what", fault::demoted}});
  }
}

void LockServers::reinstate_all() {
  for (std::size_t i = 0; i < size(); ++i) {
    (void)at(i).direct().command({"REPLICAOF", "NO", "ONE"});
    setup_.history.add(at(i).name(), Kind::fault, {{"what", fault::reinstated}});
  }
}

std::vector<std::string> LockServers::commands_during(const std::function<void()>& task) {
  static const std::set<std::string> needed_by_the_kit{"acl", "config", "info", "ping"};
  (void)at(0).direct().command({"CONFIG", "RESETSTAT"});
  task();
  const auto answer = at(0).direct().command({"INFO", "commandstats"});
  std::istringstream lines{std::string(answer.text())};
  std::set<std::string> commands;  // of "cmdstat_config|get:calls=1,..." the "config"
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view start = "cmdstat_";
    if (!line.starts_with(start)) continue;
    commands.insert(line.substr(start.size(), line.find_first_of("|:") - start.size()));
  }
  std::vector<std::string> theirs;
  std::set_difference(commands.begin(), commands.end(), needed_by_the_kit.begin(),
                      needed_by_the_kit.end(), std::back_inserter(theirs));
  return theirs;
}

void LockServers::without_right_to(const std::string& command, const std::function<void()>& task) {
  bool is_missed = false;
  for (std::size_t i = 0; i < size(); ++i) {
    (void)at(i).direct().command({"ACL", "LOG", "RESET"});
    (void)at(i).direct().command({"ACL", "SETUSER", "default", "-" + command});
    setup_.history.add(at(i).name(), Kind::fault,
                       {{"what", fault::forbidden}, {"command", command}});
  }
  task();
  for (std::size_t i = 0; i < size(); ++i) {
    is_missed = is_missed || at(i).direct().command({"ACL", "LOG"}).parts() > 0;
    (void)at(i).direct().command({"ACL", "SETUSER", "default", "+" + command});
    setup_.history.add(at(i).name(), Kind::fault, {{"what", fault::allowed}, {"command", command}});
  }
  if (!is_missed) throw NotExercised("nobody missed the right to " + command);
}

void LockServers::step_first_clocks(std::size_t count, milliseconds by) {
  for (std::size_t i = 0; i < count; ++i) {
    at(i).step_clock(by);
    // A server may notice the end of a lease only when a client asks for the key.
    (void)at(i).direct().command({"EXISTS", setup_.lock.key_on_server()});
  }
  catch_up();
}

void LockServers::flush_scripts() {
  for (std::size_t i = 0; i < size(); ++i) {
    (void)at(i).direct().command({"SCRIPT", "FLUSH"});
    const auto memory = at(i).direct().command({"INFO", "memory"});
    if (memory.text().find("number_of_cached_scripts:0") == std::string_view::npos) {
      throw NotExercised("the server still knows scripts after it was told to forget them");
    }
    setup_.history.add(at(i).name(), Kind::fault, {{"what", fault::flushed}});
  }
}

std::size_t LockServers::await_leader() {
  const auto deadline = std::chrono::steady_clock::now() + standstill;
  while (std::chrono::steady_clock::now() < deadline) {
    for (std::size_t i = 0; i < size(); ++i) {
      if (is_well(server(i)) && server(i).leads()) return i;
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  throw Stalled("no server came to lead the others");
}

void LockServers::remove_lock() {
  const auto key = setup_.lock.key_on_server();
  std::size_t had_it = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    setup_.history.add(at(i).name(), Kind::fault, {{"what", fault::removed}});
    if (at(i).direct().command({"DEL", key}).integer() == 1) ++had_it;
  }
  if (had_it < majority()) throw Stalled("the lease ran out before the lock was deleted");
}

std::size_t LockServers::count_lock() {
  const auto key = setup_.lock.key_on_server();
  std::size_t held = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (is_well(at(i)) && at(i).direct().command({"EXISTS", key}).integer() == 1) ++held;
  }
  return held;
}

bool LockServers::hold_lock_without_lease() {
  constexpr int no_lease = -1;  // https://redis.io/docs/latest/commands/pttl/
  if (!speak_redis() || !knows_key()) return false;
  for (std::size_t i = 0; i < size(); ++i) {
    const auto left = [&] { return at(i).direct().command({"PTTL", setup_.lock.key_on_server()}); };
    if (is_well(at(i)) && left().integer() == no_lease) return true;
  }
  return false;
}

void LockServers::must_hold_lock_of(const Client& client) {
  if (!knows_key() || count_lock() >= majority()) return;
  throw Stalled(fmt::format("{}'s lease ran out before the fault", client.name()));
}

void LockServers::must_hold_lock_on_just_a_majority() {
  if (!knows_key()) return;
  const auto held = count_lock();
  if (held == majority()) return;
  if (held < majority()) throw Stalled("the lock's lease ran out before the fault");
  throw NotExercised(
      fmt::format("the lock stands on {} servers, and was to stand on {}: its client sent what it "
                  "had kept for those that were down",
                  held, majority()));
}

void LockServers::catch_up() {
  for (std::size_t i = 0; i < size(); ++i) {
    if (is_well(server(i))) server(i).catch_up();
  }
}

std::vector<LockNode> LockServers::for_a_client() {
  std::vector<LockNode> nodes;
  for (std::size_t i = 0; i < size(); ++i) {
    nodes.push_back({.name = server(i).name(),
                     .address = server(i).address(),
                     .is_dead = !server(i).process().running()});
  }
  return nodes;
}

}  // namespace faults
