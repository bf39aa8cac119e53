// The lock's servers in one world, and what can happen to them.
//
// Servers are numbered from 0; people know them as "redis", or as "node1", "node2" and so on. They
// are independent: only the first can have a replica (fail_over.h).
//
// Thread-safety: none; the scenario's thread uses it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "faults/kit/client.h"
#include "faults/kit/lock_server.h"
#include "faults/kit/redis_server.h"
#include "faults/world/clients.h"
#include "faults/world/setup.h"

namespace faults {

class LockServers {
 public:
  // Starts them, with the stage's scripts and its marker. Throws CannotRun.
  LockServers(Setup& setup, Clients& clients);

  // A Redis server: the first is, after a fail-over, the replica that was promoted. Throws
  // NotExercised if the lock uses another kind of server.
  [[nodiscard]] RedisServer& at(std::size_t i);
  // The same of any kind.
  [[nodiscard]] LockServer& server(std::size_t i) { return i == 0 ? *first_ : *servers_.at(i); }
  [[nodiscard]] std::size_t size() const { return servers_.size(); }
  // How many of them make a majority, and how many others may be missing then.
  [[nodiscard]] std::size_t majority() const { return size() / 2 + 1; }
  [[nodiscard]] std::size_t minority() const { return size() - majority(); }

  // Kills one; its links refuse clients. Restarts it with the data it keeps; its links let clients
  // in again.
  void kill(std::size_t i);
  void restart(std::size_t i);
  // Kills one, and restarts it without data at once; its links stay open meanwhile.
  void restart_empty(std::size_t i);

  // Each puts the last `count` of them into that state. Throw NotExercised. Where they elect a
  // leader, the first leads when they have started (faults/kit/other_servers/other_server.h), and
  // the last ones follow.
  void kill_last(std::size_t count);
  void restart_last(std::size_t count);
  // The same, and to every other client they are still dead.
  void restart_last_for(Client& client, std::size_t count);
  void freeze_last(std::size_t count);
  void thaw_last(std::size_t count);

  // Makes all of them replicas, which answer READONLY to every write, or masters again.
  // (https://redis.io/docs/latest/commands/replicaof/)
  void demote_all();
  void reinstate_all();
  // The commands that servers run while `task` does, those that the kit itself needs excepted.
  [[nodiscard]] std::vector<std::string> commands_during(const std::function<void()>& task);
  // Runs `task` while no client has the right to `command` on any of them. Throws NotExercised if
  // no client missed it.
  // (https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/)
  void without_right_to(const std::string& command, const std::function<void()>& task);
  // Moves the clocks of the first `count`, and returns once they have noticed which leases that
  // ended. Throws NotExercised.
  void step_first_clocks(std::size_t count, std::chrono::milliseconds by);
  // Has all of them forget their scripts. Throws NotExercised if one still knows a script.
  void flush_scripts();

  // Are the bytes to them commands, which the kit can read? Of other protocols it only counts
  // messages.
  [[nodiscard]] bool speak_redis() const { return setup_.lock.stands_on_redis(); }
  // Do they elect one of them to lead the others? Then each is a replica of the leader's.
  [[nodiscard]] bool elect_a_leader() const { return size() > 1 && !speak_redis(); }
  // The leader's number, once one leads. Throws Stalled.
  [[nodiscard]] std::size_t await_leader();

  // Deletes the lock on all of them. Throws Stalled if no majority had it.
  void remove_lock();
  // True if the lock's key on the servers is known. Otherwise its holder cannot be seen there.
  [[nodiscard]] bool knows_key() const { return !setup_.lock.key_on_server().empty(); }
  // The number of working servers that have the lock. Its key must be known.
  [[nodiscard]] std::size_t count_lock();
  // Does the lock stand on one of them without a lease, so that it never ends? False if its key is
  // not known.
  [[nodiscard]] bool hold_lock_without_lease();
  // Throws Stalled if `client`'s lock is no longer on a majority of them, as far as that is known.
  void must_hold_lock_of(const Client& client);

  // Throws NotExercised if more of them have the lock, as far as that is known.
  void must_hold_lock_on_just_a_majority();

  // Returns once everything that they have announced is in the history.
  void catch_up();

  // For fail_over.h and clustered.h: a server beside those gets the scripts, and is watched for
  // stalls; from now on `server` is the first one.
  void get_ready(RedisServer& server);
  void replace_first(RedisServer& server) { first_ = &server; }
  // Each of them as a client meets it.
  [[nodiscard]] std::vector<LockNode> for_a_client();

 private:
  void load_scripts(RedisServer& server);
  // Restarts one, which no client reaches yet.
  void bring_back(std::size_t i);
  void set_marker(std::size_t i);
  // Has the stall detector look at its process.
  void watch(LockServer& server);

  Setup& setup_;
  Clients& clients_;
  std::vector<std::unique_ptr<LockServer>> servers_;
  LockServer* first_;
};

}  // namespace faults
