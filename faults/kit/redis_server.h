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
#include "faults/kit/clock.h"
#include "faults/kit/history.h"
#include "faults/kit/lock_server.h"
#include "faults/kit/loop.h"
#include "faults/kit/process.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/temp_dir.h"

namespace faults {

class Watcher;

class RedisServer : public LockServer {
 public:
  // Does it keep its data when it is killed? One that keeps them writes each change to disk before
  // it answers (appendfsync always:
  // https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/).
  enum class Durability { forgets, keeps };

  // Starts it, with these options more, and returns once it answers. Its log is `log`. Throws
  // CannotRun.
  RedisServer(RedisBinary binary, Loop& loop, History& history, Reaper& reaper, std::string name,
              std::filesystem::path log, Durability durability = Durability::forgets,
              std::vector<std::string> options = {});
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
  // (https://github.com/valkey-io/valkey/issues/2651). Throws NotExercised if the server's TIME
  // does not show it.
  void step_clock(std::chrono::milliseconds by);

  [[nodiscard]] Process& process() override { return *process_; }

 private:
  [[nodiscard]] std::filesystem::path data() const { return directory_.path() / "data"; }
  void launch();
  void note_restart();

  const RedisBinary binary_;
  Loop& loop_;
  History& history_;
  Reaper& reaper_;
  const std::string name_;
  const std::filesystem::path log_;
  const Durability durability_;
  const std::vector<std::string> options_;
  TempDir directory_;
  Clock clock_;
  core::Server direct_;
  std::unique_ptr<Process> process_;
  std::unique_ptr<Watcher> watcher_;
};

}  // namespace faults
