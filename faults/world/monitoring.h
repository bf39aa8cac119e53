// The monitor of a world (production/monitor/), which frees the locks of holders whose heartbeats
// stay away.
//
// Thread-safety: none; the scenario's thread uses it.
#pragma once

#include <memory>

#include "faults/kit/process.h"
#include "faults/world/clients.h"
#include "faults/world/nodes.h"
#include "faults/world/setup.h"

namespace faults {

class Monitoring {
 public:
  Monitoring(Setup& setup, Nodes& nodes, Clients& clients)
      : setup_(setup), nodes_(nodes), clients_(clients) {}

  // Starts it, and returns once it listens. Clients that start later send heartbeats, if they can.
  // Throws CannotRun.
  void start();

  // Cuts the client's heartbeats off from it.
  void cut_off(Client& client);

  // Waits until it has freed the lock, on every server that has it. Throws NotExercised if it does
  // not.
  void await_freed();

 private:
  Setup& setup_;
  Nodes& nodes_;
  Clients& clients_;
  std::unique_ptr<Process> process_;
};

}  // namespace faults
