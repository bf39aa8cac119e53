// Starts the clients of a run, each in the same phase of its timers as in every run before.
//
// What a client's threads still wait for when a run ends passes before the next one; a wait that
// ends much later stays. But some timers renew themselves, and never all pass: Netty's wheel counts
// ticks of some milliseconds from its start. Their period is measured before a run, as
// soon as one is seen. From then on a process starts, and a run begins, whole periods after the
// first one did: only this phase of timers and leases is searched. Before each run all clients
// sleep, as on a machine that was suspended: a timer of any other kind that was due ends once, and
// begins again from there. The processes of a run start as a millisecond begins, as runs do:
// Tokio's timers end whole milliseconds after their process has started. (One that starts within a
// run may start at any moment.)
//
// Thread-safety: none; one thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "faults/explore/world/direct_requests.h"
#include "faults/explore/world/searched_world.h"

namespace explore {

class TimerPhases {
 public:
  TimerPhases(SearchedWorld& world, DirectRequests& requests)
      : world_(world), requests_(requests) {}

  // Starts the clients that have no process, and warms up those that need it: a run can begin.
  // Throws CannotRun, ClientFailed.
  void start_clients();
  // After a run: what its clients still wait for passes, except what comes much later. Throws
  // ClientFailed.
  void let_timers_pass();

 private:
  void start_all();
  void start(SearchedClient& client);
  // Lets timers end, and measures those that renew themselves, if one always comes soon.
  void pass();
  [[nodiscard]] bool comes_within(int leases) const;
  void measure(const SearchedClient& client);
  // After which all that were measured are in the same phase again; 0: none renews itself.
  [[nodiscard]] Duration common_period() const;
  // Until those that renew themselves are in phase, and none that outlasts the sleep ends soon.
  void sleep();
  [[nodiscard]] std::set<Duration> deadlines() const;
  void sleep_until(Duration moment);

  // Of a thread.
  struct Timer {
    Duration deadline{0};
    Duration wait{0};     // from the deadline before it
    bool renews = false;  // as long as the wait before
  };

  SearchedWorld& world_;
  DirectRequests& requests_;
  std::map<std::pair<std::string, std::size_t>, Timer> timers_;  // by client and thread
  Duration period_{0};                                           // `common_period`
  std::map<std::string, Duration> first_starts_;                 // by the client's name
  std::optional<Duration> first_run_;
};

}  // namespace explore
