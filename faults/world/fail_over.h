// The replica of a world's first server, and its promotion by hand or by real Sentinels.
//
// Thread-safety: none; the scenario's thread uses it.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "faults/kit/link.h"
#include "faults/kit/redis_server.h"
#include "faults/kit/sentinels.h"
#include "faults/world/clients.h"
#include "faults/world/lock_servers.h"
#include "faults/world/setup.h"

namespace faults {

class FailOver {
 public:
  FailOver(Setup& setup, LockServers& servers, Clients& clients)
      : setup_(setup), servers_(servers), clients_(clients) {}

  // Starts a replica of the first server, and returns once changes flow to it. Servers that elect
  // a leader are replicas of each other. Throws Stalled.
  void start_replica();
  // From now on no change reaches the replica. A leader that is elected says yes only once a
  // majority has the change: there nothing is stopped.
  void stop_replication();
  // Kills the first server, and puts its replica, promoted by hand, in its place; or kills the
  // leader, and returns once another one leads. Throws Stalled.
  void kill_master_and_promote();

  // Starts three Sentinels that watch the first server and its replica. Returns once they know each
  // other. A client that can finds the master by them, if it starts later.
  void start_sentinels();
  // Throws Stalled if they take the first server, which lives, for dead.
  void sentinels_must_see_master();
  // Kills the first server, waits until all Sentinels name the replica as the master, and puts that
  // in its place. Links follow for clients that do not find it by themselves. Throws Stalled if
  // that takes too long.
  void kill_master_and_await_sentinels();

 private:
  void kill_leader_and_await_next();
  // `promotion` is the fault in the history.
  void put_replica_first(nlohmann::json promotion);

  Setup& setup_;
  LockServers& servers_;
  Clients& clients_;
  std::unique_ptr<Link> replication_;
  std::unique_ptr<RedisServer> replica_;
  std::unique_ptr<Link> to_replica_;
  std::unique_ptr<Sentinels> sentinels_;
};

}  // namespace faults
