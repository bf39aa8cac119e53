// A real Cluster in place of a world's only server: three masters, one of which has the lock's
// slot.
//
// Thread-safety: none; the scenario's thread uses it.
#pragma once

#include <memory>

#include "faults/kit/cluster.h"
#include "faults/world/clients.h"
#include "faults/world/lock_servers.h"
#include "faults/world/setup.h"

namespace faults {

class Clustered {
 public:
  Clustered(Setup& setup, LockServers& servers, Clients& clients)
      : setup_(setup), servers_(servers), clients_(clients) {}

  // Starts it; clients that start later know it by its nodes. From now on the first server is the
  // lock's master. Throws CannotRun, or Stalled.
  void start(Cluster::Replicas replicas);

  // From now on no change reaches the replica of the lock's master.
  void stop_replication();
  // Throws Stalled if the nodes take one that lives for dead.
  void must_be_well();
  // Kills the lock's master, waits until all nodes name its replica as the new one, and puts that
  // in its place. Throws Stalled if that takes too long.
  void kill_master_and_await_replica();

  // The lock's slot moves to the next master: its keys at first, then the slot.
  void move_key();
  void move_slot();

 private:
  [[nodiscard]] std::size_t next_master() const { return (master_ + 1) % Cluster::masters; }
  void tell_clients();

  Setup& setup_;
  LockServers& servers_;
  Clients& clients_;
  std::unique_ptr<Cluster> cluster_;
  int slot_ = 0;
  std::size_t master_ = 0;
};

}  // namespace faults
