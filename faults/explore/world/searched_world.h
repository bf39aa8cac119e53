// The world of a search: a lock's servers, clients and storage as real processes in virtual time,
// on one CPU. It is made once, and serves one run after the other.
//
// Thread-safety: none; one thread.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "faults/explore/coverage/script_calls.h"
#include "faults/explore/virtual_time/one_cpu.h"
#include "faults/explore/world/client_program.h"
#include "faults/explore/world/journal.h"
#include "faults/explore/world/program.h"
#include "faults/explore/world/searched_client.h"
#include "faults/explore/world/searched_server.h"
#include "faults/judging/verdict.h"
#include "faults/kit/accounts.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/temp_dir.h"
#include "faults/world/tested_lock.h"

namespace explore {

struct WorldPlan {
  faults::TestedLock stage;
  faults::RedisBinary redis;
  int clients = 2;
  std::chrono::milliseconds lease{300};
  Program program = usual_program();  // of each client
  // A new process in each run for a client that has done something: for a lock that remembers from
  // one run to the next.
  bool fresh_clients = false;
  std::vector<faults::Property> judged;
  // The name of the run in its history.
  std::string sentence = "an order of events that a search has chosen";
  // Notes each call of a script, and what its server had before; null: they are not noted.
  std::shared_ptr<ScriptCalls> script_calls = {};
};

// A client's wait that ends so long after a run has begun ends in no run: its patience with a
// silent server, say.
constexpr int far_in_leases = 100;

// Waits that end later are not waited for in a run: a client's patience with a silent server, say.
constexpr int horizon_in_leases = 10;

struct SearchedWorld {
  // On the CPU of that number (OneCpu), the calling thread too; none: on the CPU that it is on.
  // Throws CannotRun.
  SearchedWorld(WorldPlan world_plan, faults::Reaper& reaper, std::optional<int> cpu_number);
  SearchedWorld(const SearchedWorld&) = delete;
  SearchedWorld& operator=(const SearchedWorld&) = delete;

  // An empty storage, for a new run.
  void renew_storage();

  [[nodiscard]] Duration now() const { return time.now(); }
  // Advances time: what is due ends, and every waiting process notices.
  void advance_to(Duration moment);
  // When the first wait of any client ends.
  [[nodiscard]] std::optional<Duration> next_deadline() const;

  // The client of that name, or the latecomer.
  [[nodiscard]] SearchedClient& client_named(const std::string& name);
  // The clients, and the latecomer.
  [[nodiscard]] std::vector<SearchedClient*> all_clients();
  // The name of the connection's server, or "storage".
  [[nodiscard]] std::string server_of(const ClientConnection& connection) const;

  // A step has taken that long. Moves all processes to another CPU if this one is busy.
  void avoid_busy_cpu(std::chrono::nanoseconds step);

  const WorldPlan plan;
  bool servers_may_fail = false;  // in some run: connections may break
  OneCpu cpu;
  faults::TempDir directory;
  VirtualTime time;
  Journal journal;
  std::deque<SearchedServer> servers;
  ClientProgram program;
  ClientContext context;
  std::deque<SearchedClient> clients;
  SearchedClient latecomer;                  // comes at the end of a run (end_of_run.h)
  std::optional<faults::Accounts> accounts;  // of the storage; set by `renew_storage`
};

}  // namespace explore
