// The stage on which one scenario plays: a Redis server (or several, none of which knows of the
// others), a storage, clients behind links, all of it fresh, on one history. Gone when it goes out
// of scope.
//
// What happens to its servers is in world_nodes.cpp, its fail-over in world_fail_over.cpp.
//
// Servers are numbered from 0; people know them as "redis", or as "node1", "node2" and so on.
//
// Thread-safety: none; the scenario's thread uses it. Worlds side by side do not disturb each
// other.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "faults/judging/history.h"
#include "faults/kit/client.h"
#include "faults/kit/loop.h"
#include "faults/kit/pulse.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/redis_server.h"
#include "faults/kit/sentinels.h"
#include "faults/kit/storage.h"
#include "faults/stage.h"

namespace faults {

// What the server at which a sweep puts its fault is to the others.
enum class Role {
  only,        // there are no others, or every one of them is needed
  one_of_all,  // one of all, and the others are well
  deciding,    // as many others are down as may be: its answer decides
};

// The boundary at which a sweep puts its fault this time. None outside a sweep.
struct Position {
  Direction direction = Direction::command;
  // The message at which the fault is put, from 1: of the operation's. Of a renewal, which comes by
  // itself, counted from the acquire; a fault for it is armed before that.
  int nth = 0;
  bool more_follows =
      false;         // once this is passed on, the client sends the operation's next command
  std::string name;  // for people: "release, after GET was answered, before DEL was sent"
  Role role = Role::only;
  std::size_t node = 0;  // the server at which the fault is put
};

class World {
 public:
  // How long A's short lease is, which scenarios wait out for real, as a rule: see `lease()`.
  static constexpr std::chrono::milliseconds usual_lease{300};
  // One that no scenario outlives, and the deadline for boundaries.
  static constexpr std::chrono::milliseconds long_lease{60'000};
  static constexpr std::chrono::milliseconds boundary_limit{10'000};
  // How long a client of several servers surely waits for one that keeps silent: half of what it
  // does (stage 7, client.cpp), whatever the world.
  static constexpr std::chrono::milliseconds bearable_silence{1'000};
  // With these words it is told that a client died which was to renew its lock.
  static constexpr std::string_view died_renewing = "was to renew its lock, and \"died\"";
  // Where a client has read, thought, checked its lock, and is about to write.
  inline static const Where reading{.direction = Direction::reply, .command = "READ"};
  inline static const Where inside_the_work{.direction = Direction::reply, .command = "BEGIN"};

  // `directory` gets the logs of server and clients. In a world that is `slower`, leases and waits
  // are so many times as long: for a machine that did not keep up with the usual ones. `say` hears
  // what the person should know who waits meanwhile.
  World(const Stage& stage, RedisBinary redis, Reaper& reaper, History& history,
        std::filesystem::path directory, Position position = {}, int slower = 1, Say say = {});
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // No world is slower than so many times.
  static constexpr int slowest = 3;

  // A's short lease in this world.
  [[nodiscard]] std::chrono::milliseconds lease() const { return slower_ * usual_lease; }
  // How long somebody waits who should get in within one lease.
  [[nodiscard]] std::chrono::milliseconds patience() const { return 8 * lease(); }
  // A lease with more room between the holder's own deadline and the server's.
  [[nodiscard]] std::chrono::milliseconds roomy_lease() const { return 5 * lease(); }

  // The client of that name, started when it is first asked for.
  [[nodiscard]] Client& client(const std::string& name);

  // The lock's servers. The first is, after a fail-over, the replica that was promoted.
  [[nodiscard]] RedisServer& node(std::size_t i) { return i == 0 ? *first_ : *nodes_.at(i); }
  [[nodiscard]] std::size_t nodes() const { return nodes_.size(); }
  // How many of them make a majority, and how many others may be missing then.
  [[nodiscard]] std::size_t majority() const { return nodes() / 2 + 1; }
  [[nodiscard]] std::size_t minority() const { return nodes() - majority(); }

  // Kills a server, or brings it back; its links refuse whoever comes, or let him in again.
  void kill_node(std::size_t i);
  void bring_back_node(std::size_t i);
  // Kills a server, and brings it back with nothing at once; its links stay open meanwhile.
  void restart_node_empty(std::size_t i);

  // Each puts the last `count` servers into that state. A server that comes back has the stage's
  // marker, and the data that it keeps. Throw NotExercised.
  void kill_nodes(std::size_t count);
  void bring_back_nodes(std::size_t count);
  void freeze_nodes(std::size_t count);
  void thaw_nodes(std::size_t count);
  // Makes every server a replica, which reads and answers READONLY to whatever writes, or a master
  // again. (https://redis.io/docs/latest/commands/replicaof/)
  void demote_nodes();
  void reinstate_nodes();
  // Has the clocks of the first `count` servers jump, and returns once they have noticed whose
  // lease ended with that. Throws NotExercised.
  void step_clocks(std::size_t count, std::chrono::milliseconds by);
  // Returns once everything that the servers announced so far is in the history.
  void catch_up();

  // Has `client` acquire. Throws NotExercised if it does not get the lock, which is free; Stalled
  // if that took so long that its lease is over.
  void must_acquire(Client& client, const AcquireRequest& request = {});

  // Throws NotExercised unless `outcome` is `expected`.
  static void must_answer(const std::string& outcome, const std::string& expected);

  // Has `client`, which holds the lock, work under it, stops it at `where`, and lets it finish
  // after `meanwhile`. The words of its work's outcome. Throws NotExercised if it is not stopped,
  // Stalled if its lease was over before it could be.
  std::string stop_at_work(Client& client, const Where& where,
                           const std::function<void()>& meanwhile) const;

  // Has `client`, which holds the lock, work under it, and freezes it at `where`: the reply that it
  // has reached there lies in its socket when it is thawed. Throws as `stop_at_work`.
  [[nodiscard]] Pending freeze_at_work(Client& client, const Where& where) const;

  // Has `client` wait for the lock, with a lease that outlives the story; true if it gets in before
  // its patience is over.
  [[nodiscard]] bool gets_in(Client& client) const;

  // `client` must get in within its patience, or `wait`, works, and gives the lock back. It asks
  // for a long lease, so that a slow machine is not taken for a lock that does not answer.
  void must_get_its_turn(Client& client) const { must_get_its_turn(client, patience()); }
  void must_get_its_turn(Client& client, std::chrono::milliseconds wait) const;

  // As `gets_in`, and if it gets in it does its work and gives the lock back.
  void take_a_patient_turn(Client& client) const;

  // `client` tries once; if it gets in it does its work and gives the lock back.
  static void take_a_turn(Client& client);

  // Throws Stalled unless `client`'s last `must_acquire` began less than two thirds of its lease
  // ago: a machine that stood still for so long would show a lease that ran out, not the fault.
  void must_be_within_lease(const Client& client) const;

  // Throws Stalled if more than `time` has passed since then.
  static void must_be_within(std::chrono::milliseconds time,
                             std::chrono::steady_clock::time_point since);
  // The same, unless no world is slower than this one: for what every machine may tell, and one
  // that keeps up tells better.
  void should_be_within(std::chrono::milliseconds time,
                        std::chrono::steady_clock::time_point since) const;

  // Arms the fault of this sweep's position on `client`'s way to the lock server. Before that, if
  // that server is to decide, as many others are killed as may be missing.
  [[nodiscard]] Fault arm_at_position(Client& client, Action action);
  // Delivers what the fault of this position holds, and waits until what follows from that is over:
  // the operation's next command, if there is one, and every answer. Throws NotExercised.
  void deliver(Client& client, Fault& held) const;
  // Is the message of this position already applied when it is held?
  [[nodiscard]] bool is_reply_position() const { return position_.direction == Direction::reply; }

  // Waits until `fault` has fired while `operation` runs. Throws NotExercised if it never does.
  static void must_reach(const Fault& fault, const Pending& operation);

  // Waits until one of `pending` that is not `over` has its answer, and says which. Throws
  // NotExercised if none comes.
  static std::size_t await_any(const std::vector<Pending>& pending, const std::vector<bool>& over);

  // Returns once `pending` is answered, or after `time`. A quarter of a bearable silence is enough,
  // unless it waits for what is held.
  static void give_time_to_answer(const Pending& pending,
                                  std::chrono::milliseconds time = bearable_silence / 4);

  // Throws Stalled if the server, or a majority, does not hold the lock for `client` any more.
  void must_be_held(const Client& client);

  // The default lease of clients that start from now on.
  void set_default_lease(std::chrono::milliseconds time);

  // The longest silence of a server that clients which start from now on bear: for stories where a
  // reply never comes. Without it they are patient, with a machine that is slow.
  void set_client_timeout(std::chrono::milliseconds time);

  // Tells clients that start from now on how long a hold may be renewed.
  void limit_holds_to(std::chrono::milliseconds time);

  // Waits until `client` has sent the first server `count` more commands by itself: renewals.
  // Throws NotExercised if that takes longer than `patience`.
  void await_renewals(Client& client, std::size_t count) const;

  // Has `client` ask, and returns when it waits. It has waited before, in vain, so that what it
  // needs for that (a subscription) is there.
  [[nodiscard]] Pending wait_in_line(Client& client, const AcquireRequest& request) const;
  // Thaws `client`, and waits until it has sent another command, or `pending` is answered. Throws
  // NotExercised if that takes longer than `patience`.
  void thaw_and_hear(Client& client, const Pending& pending) const;

  // Waits until each server that lives has got as many commands of `client` as any other: an
  // operation on several is over before the last of them has heard of it. No longer than
  // `patience`.
  void await_stragglers(Client& client);

  // Waits until every command that `client` has sent has been answered. Throws NotExercised.
  void await_replies(Client& client) const;
  // The same of those that it has sent to one server.
  void await_replies(Client& client, std::size_t node) const;

  // Starts a replica of the first server, and returns once changes flow to it.
  void start_replica();
  // From now on no change reaches the replica.
  void hold_back_replication();
  // Kills the first server, promotes its replica by hand, and leads its address to that.
  void fail_over();

  // Three Sentinels that watch over the first server and its replica. Returns once they know each
  // other.
  void start_sentinels();
  // Throws Stalled if they take the first server, which lives, for dead.
  void must_still_lead();
  // Kills the first server, and once all Sentinels name the replica as the master leads its address
  // to that. Throws Stalled if they do not come to that.
  void fail_over_by_sentinels();

  // Deletes the lock on every server. Throws Stalled if no majority had it.
  void remove_lock();
  // Deletes it on one server. Throws Stalled if that did not have it.
  void remove_lock_on(std::size_t i);
  // Has `client` been told that it has lost the lock?
  [[nodiscard]] bool has_word(const Client& client) const;
  // Waits until it has been; no longer than two thirds of a roomy lease, after which somebody who
  // renews has asked.
  void await_word(const Client& client) const;

  // Has the servers forget their scripts. Throws NotExercised if one still knows one.
  void flush_scripts();

  // Ends the clients as their users do, and checks that every log is free of crash reports. Throws
  // CannotRun.
  void end();

 private:
  // What `client` has got with `must_acquire`: since when, at the earliest, and for how long.
  struct Hold {
    std::chrono::steady_clock::time_point since;
    std::chrono::milliseconds lease;
    [[nodiscard]] std::chrono::milliseconds age() const;
    [[nodiscard]] bool is_as_good_as_over() const { return age() > lease * 9 / 10; }
  };

  void load_scripts();
  void set_marker(RedisServer& server);
  // Has the pulse look at its process.
  void watch(RedisServer& server);
  // Deletes the lock on one server; false: it did not have it.
  bool delete_lock_on(std::size_t i);
  void follow_fail_over(nlohmann::json promotion);
  // Waits until `client`, whose work that is, has come to where `fault` is. Throws NotExercised;
  // Stalled if it does not work since its lease is over.
  void must_reach_at_work(const Client& client, const Fault& fault, Pending& working) const;
  // Neither killed nor frozen.
  [[nodiscard]] static bool is_well(RedisServer& server);

  const Stage& stage_;
  Reaper& reaper_;
  History& history_;
  const std::filesystem::path directory_;
  const Position position_;
  const int slower_;
  const Say say_;
  Loop loop_;
  const RedisBinary redis_binary_;
  std::vector<std::unique_ptr<RedisServer>> nodes_;
  std::unique_ptr<Link> replication_;
  std::unique_ptr<RedisServer> replica_;
  std::unique_ptr<Link> to_replica_;
  std::unique_ptr<Sentinels> sentinels_;
  RedisServer* first_;
  Storage storage_;
  std::map<std::string, std::unique_ptr<Client>> clients_;
  std::map<std::string, Hold> holds_;  // by client
  std::map<std::string, std::string> environment_;
  std::chrono::milliseconds default_lease_ = lease();
  Pulse pulse_;
};

}  // namespace faults
