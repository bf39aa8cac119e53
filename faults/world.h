// The stage on which one scenario plays: a Redis server, a storage, clients behind links, all of it
// fresh, on one history. Gone when it goes out of scope.
//
// Thread-safety: none; the scenario's thread uses it. Worlds side by side do not disturb each
// other.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "faults/judging/history.h"
#include "faults/parts/client.h"
#include "faults/parts/loop.h"
#include "faults/parts/reaper.h"
#include "faults/parts/redis_binary.h"
#include "faults/parts/redis_server.h"
#include "faults/parts/storage.h"
#include "faults/stage.h"

namespace faults {

// The boundary at which a sweep puts its fault this time. None outside a sweep.
struct Position {
  Direction direction = Direction::command;
  int nth = 0;       // of the operation's commands, from 1
  std::string name;  // for people: "release, after GET was answered, before DEL was sent"
};

class World {
 public:
  // How long A's short lease is, which scenarios wait out for real; and one that no scenario
  // outlives.
  static constexpr std::chrono::milliseconds lease{300};
  static constexpr std::chrono::milliseconds long_lease{60'000};
  // How long somebody waits who should get in within one lease, and the deadline for boundaries.
  static constexpr std::chrono::milliseconds patience = 8 * lease;
  static constexpr std::chrono::milliseconds boundary_limit{10'000};
  // Where a client has read, thought, checked its lock, and is about to write.
  inline static const Where inside_the_work{.direction = Direction::reply, .command = "BEGIN"};

  // `directory` gets the logs of server and clients.
  World(const Stage& stage, RedisBinary redis, Reaper& reaper, History& history,
        std::filesystem::path directory, Position position = {});
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // The client of that name, started when it is first asked for.
  [[nodiscard]] Client& client(const std::string& name);
  [[nodiscard]] RedisServer& redis() { return redis_; }

  // Has `client` acquire; throws NotExercised if it does not get the lock, which is free.
  void must_acquire(Client& client, const AcquireRequest& request = {});

  // Throws NotExercised unless `outcome` is `expected`.
  static void must_answer(const std::string& outcome, const std::string& expected);

  // `client` tries once; if it gets in it does its work and gives the lock back.
  static void take_a_turn(Client& client);

  // Throws Stalled unless `client`'s last `must_acquire` began less than two thirds of a lease ago:
  // a machine that stood still for so long would show a lease that ran out, not the fault.
  void must_be_within_lease(const Client& client) const;

  // Arms the fault of this sweep's position on `client`'s way to the lock server.
  [[nodiscard]] Fault arm_at_position(Client& client, Action action);
  // Is the message of this position already applied when it is held?
  [[nodiscard]] bool is_reply_position() const { return position_.direction == Direction::reply; }

  // Waits until `fault` has fired while `operation` runs. Throws NotExercised if it never does.
  static void must_reach(const Fault& fault, const Pending& operation);

  // Ends the clients as their users do, and checks that every log is free of crash reports. Throws
  // CannotRun.
  void end();

 private:
  const Stage& stage_;
  Reaper& reaper_;
  History& history_;
  const std::filesystem::path directory_;
  const Position position_;
  Loop loop_;
  RedisServer redis_;
  Storage storage_;
  std::map<std::string, std::unique_ptr<Client>> clients_;
  std::map<std::string, std::chrono::steady_clock::time_point> acquired_since_;
};

}  // namespace faults
