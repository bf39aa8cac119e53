// A real redis-server of a run's own: started, looked at, killed, restarted, gone with its owner.
//
// It listens on a unix socket in a private directory (no port to lose to another program; clients
// reach it through links, which have ports), lives by a clock of its own, and announces every
// change of a key (https://redis.io/docs/latest/develop/use/keyspace-notifications/), which a
// watcher writes into the history: what the server holds, beside what the clients believe.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/redis/server.h"
#include "faults/kit/history.h"
#include "faults/kit/lock_server.h"
#include "faults/kit/loop.h"
#include "faults/kit/process.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/redis_pool.h"

namespace faults {

class Watcher;

class RedisServer : public LockServer {
 public:
  using Durability = faults::Durability;

  // Starts it, with these options more, and returns once it answers. Its log is `log`. With a pool
  // (and without options or a port) it may be one of there, which is as a fresh one, and goes back
  // there. Listens on `port` too, unless that is 0. Throws CannotRun; also if that one still has
  // something of before.
  RedisServer(RedisBinary binary, Loop& loop, History& history, Reaper& reaper, std::string name,
              const std::filesystem::path& log, Durability durability = Durability::forgets,
              std::vector<std::string> options = {}, RedisPool* pool = nullptr, int port = 0);
  // Leaves its process to the pool, if there is one and no fault was the server's own.
  ~RedisServer() override;

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] core::Address address() const override;

  // A way to ask it things, past every link.
  [[nodiscard]] core::Server& direct() { return direct_; }

  void catch_up() override;
  // Listens to it on a new connection. A Sentinel that promotes a server breaks all that it has.
  void watch();

  void kill() override;
  void start() override;
  void start_empty() override;

  // Has its wall clock jump. The end of a lease follows that clock
  // (https://github.com/valkey-io/valkey/issues/2651). Returns once the server's TIME shows it.
  // Throws NotExercised if that does not come.
  void step_clock(std::chrono::milliseconds by);

  void freeze() override;
  // A fault is its own, or has another server follow it: it serves no other world.
  void retire() { retired_ = true; }

  [[nodiscard]] Process& process() override { return *instance_->process; }

 private:
  [[nodiscard]] const std::filesystem::path& directory() const {
    return instance_->directory.path();
  }
  [[nodiscard]] std::filesystem::path data() const { return directory() / "data"; }
  // Returns once it answers at `door`.
  void launch(core::Server& door);
  void must_be_as_fresh();
  void write_to(const std::filesystem::path& log);
  void note_restart();
  // True if its TIME is this machine's, moved as far as its clock was.
  [[nodiscard]] bool shows_its_clock();

  const RedisBinary binary_;
  Loop& loop_;
  History& history_;
  Reaper& reaper_;
  RedisPool* const pool_;  // may be null
  const std::string name_;
  const std::vector<std::string> options_;
  const int port_;
  std::unique_ptr<RedisInstance> instance_;
  core::Server direct_;
  std::unique_ptr<Watcher> watcher_;
  bool retired_ = false;
};

}  // namespace faults
