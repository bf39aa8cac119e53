// Everything one execution of a scenario needs, fresh (or as fresh) and on one history: the lock's
// servers, a storage, and clients with their links. All of it ends when it goes out of scope.
//
// A scenario asks for clients, and finds the rest by what it is about:
//   world.steps       what clients do: acquire, work under the lock, wait
//   world.servers     what happens to the lock's servers
//   world.fail_over   a replica, Sentinels, and a promotion
//   world.cluster     a Cluster, its fail-over, and a slot that moves
//   world.wait_for    what has to come by itself: renewals, replies, reports
//   world.sweep       the fault at this sweep's boundary
//   world.timing      how long things last
//   world.clients     settings for clients that have yet to start
//
// Thread-safety: none; the scenario's thread uses it. Worlds side by side do not disturb each
// other.
#pragma once

#include <filesystem>
#include <string>

#include "faults/kit/client.h"
#include "faults/kit/history.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/storage.h"
#include "faults/world/clients.h"
#include "faults/world/clustered.h"
#include "faults/world/fail_over.h"
#include "faults/world/lock_servers.h"
#include "faults/world/setup.h"
#include "faults/world/steps.h"
#include "faults/world/sweep_fault.h"
#include "faults/world/tested_lock.h"
#include "faults/world/timing.h"
#include "faults/world/wait_for.h"

namespace faults {

// The differences from a plain execution.
struct WorldOptions {
  SweepBoundary boundary = {};
  int slowdown = 1;  // how many times as long leases and waits are: for a slow machine
  Say say = {};      // speaks to the person who waits
  // The machine need not be watched (RunPlan::time_waits).
  bool time_waits = false;
  StartedAs started_as = {};  // may be empty
  // Has servers of earlier worlds, and gets this one's: null if it has servers of its own.
  RedisPool* pool = nullptr;
};

class World {
 private:
  Setup setup_;  // outlives all the others
  Storage storage_;

 public:
  // `directory` gets the logs of servers and clients.
  World(const TestedLock& lock, RedisBinary redis, Reaper& reaper, History& history,
        std::filesystem::path directory, WorldOptions options = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // The client of that name, started when it is first asked for. Throws CannotRun.
  [[nodiscard]] Client& client(const std::string& name) {
    return clients.get(name, servers.for_a_client());
  }

  // Ends the clients as their users do, and checks that every log is free of crash reports. Throws
  // CannotRun.
  void end();

  const Timing& timing;
  Clients clients;
  LockServers servers;
  FailOver fail_over;
  Clustered cluster;
  WaitFor wait_for;
  Steps steps;
  SweepFault sweep;
};

}  // namespace faults
