// Requests to clients beside the events of a run: every message that they need is delivered
// immediately.
//
// Thread-safety: none; one thread.
#pragma once

#include <nlohmann/json.hpp>

#include "faults/explore/world/network.h"
#include "faults/explore/world/searched_world.h"

namespace explore {

class DirectRequests {
 public:
  DirectRequests(SearchedWorld& world, Network& network) : world_(world), network_(network) {}

  // Connects a client and loads its scripts, as the kit does (faults/kit/client.h). If it waits for
  // time meanwhile, time advances; but not within a run. The wall clock of a new process shows
  // until then when it started, and not the servers' time. Throws CannotRun, ClientFailed.
  void warm_up(SearchedClient& client, bool may_time_advance = true);
  // The same requests, whatever their answers: a client may notice only now that its connection
  // broke. Throws ClientFailed.
  void try_out(SearchedClient& client);
  // Waits for the answer; whatever any client asks its servers meanwhile is answered, and time
  // advances as far as that needs. Throws ClientFailed.
  void ask(SearchedClient& client, nlohmann::json request);
  // The same for a request that was asked before.
  void await_answer(SearchedClient& client);
  // Delivers every message in flight, and those that come of it. Throws ClientFailed.
  void deliver_all();

 private:
  // Waits for the answer, while the messages of other clients stay in flight.
  void ask_alone(SearchedClient& client, nlohmann::json request, bool may_time_advance);
  // False: the client has no message in flight.
  [[nodiscard]] bool deliver_one(SearchedClient& client);

  SearchedWorld& world_;
  Network& network_;
};

}  // namespace explore
