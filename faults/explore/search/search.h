// The search: every order of events within bounds, one run after the other on real processes.
//
// It runs the orders without a fault first, then those with one, and so on, and stops after the
// first number of faults that breaks a property. It keeps the shortest of the runs that break it:
// so it shows the simplest that there is.
//
// A run is a list of choices, and the next run begins with the same choices except the last ones.
// If the same choices do not lead to the same events as before, the world is not under control:
// that is an error (Diverged), and never a result.
//
// Several workers (search_worker.h), each with a world and a CPU of its own, share the orders
// (shared_orders.h). What the search finds and counts does not depend on how many there are.
//
// Thread-safety: none; one thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "faults/explore/coverage/event_pairs.h"
#include "faults/explore/search/run_recorder.h"
#include "faults/explore/world/controller.h"

namespace explore {

// The same choices did not lead to the same events.
class Diverged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SearchPlan {
  unsigned faults = 0;  // the kinds that may happen
  // To a client in one of these operations, or to a server while a client is; empty: in any.
  std::vector<std::string> during;
  int at_most = 1;         // faults in one run
  bool once_each = false;  // of each kind one at most
  std::chrono::milliseconds budget{60'000};
  std::optional<long> most_orders = {};  // ends after so many, if that is set
  bool reduced = true;
  bool sleeps = true;  // leave out what differs only in the order of events that commute
  // Search no state twice (states/state_graph.h), and follow one merge in so many all the same.
  bool merges = false;
  int followed = 10;
  bool servers_are_alike = false;  // to the lock: then states need not say which is which
  std::size_t memory = std::size_t{1} << 30U;  // for the states, in bytes
  std::string forgets = {};  // how fields begin that states lack: to test that this is noticed
  int sampled = 100;         // about one run in so many is repeated, and compared; 0: none
  int workers = 1;
  std::optional<int> switches = {};  // at most so many in one run (switch_limit.h)
  bool in_order = false;             // of each client, the commands to its servers
  // Ends with the first order that does not break that property.
  std::optional<faults::Property> until_holds = {};
  bool looks_back = false;  // finds the point of no return of what it shows (last_chance.h)
  std::vector<std::string> after = {};  // the steps after which the search begins
  // Only the orders that begin with these steps: a part of the search (prefixes.h).
  std::vector<std::string> prefix = {};

  // A limit of switches keeps few orders, and not one of each set that commutes. A server's fault
  // concerns every client, and is offered after a step that was about that server.
  [[nodiscard]] bool leaves_out_what_sleeps() const {
    constexpr unsigned of_servers = failover_fault | amnesia_fault | clock_fault;
    return reduced && sleeps && !switches && (faults & of_servers) == 0;
  }
  // The events of a step, counted from 0, after faults of the kinds `used`, in an order that has at
  // most `most` faults.
  [[nodiscard]] Rules rules(const std::vector<FaultKind>& used, int most, std::size_t step) const;
  // What an order may still have after faults of the kinds `used`: a part of a state.
  [[nodiscard]] std::string left(const std::vector<FaultKind>& used, int most) const;
};

// All runs with the same number of faults.
struct Level {
  int faults = 0;
  long orders = 0;  // where states are merged: the runs that ended in a state of their own
  long violated = 0;
  long states = 0;  // that were met, and the events chosen in them; 0: they are not merged
  long edges = 0;
  long open_edges = 0;  // whose next state is not known: counted when the search has ended
  bool is_memory_full = false;
  bool exhausted = false;
};

struct CounterExample {
  faults::Finding finding;
  int faults = 0;
  std::size_t steps = 0;  // until the finding can be seen
  Run run;
  std::vector<std::size_t> choices;  // that led the search to it
  std::string last_chance = {};      // in words (last_chance.h); empty: not asked, or not found

  // The labels of the events until the finding can be seen.
  [[nodiscard]] std::vector<std::string> labels() const {
    return {run.labels.begin(), run.labels.begin() + static_cast<std::ptrdiff_t>(steps)};
  }
};

struct SearchResult {
  std::vector<Level> levels;
  std::vector<CounterExample> found;  // one for each property that was broken, the shortest first
  std::vector<std::string> one_that_holds;  // its events: what `until_holds` asked for
  long runs = 0;                            // with repeated ones, and those of fewer faults
  long steps = 0;
  long longest = 0;          // how many steps the longest run has
  EventPairs::Counts pairs;  // of events, in all runs
  std::chrono::duration<double> time{0};

  [[nodiscard]] long orders() const;
  [[nodiscard]] bool is_exhausted() const;
};

// Replays the schedule of `example` twice, so that its finding has been seen three times; returns
// how many runs that took. Throws Diverged if one of them does not show it.
int confirm(Controller& controller, CounterExample& example);

// Called after each run with what the search has so far; on the thread of a worker, one at a time.
using Progress = std::function<void(const SearchResult&)>;

// Throws Diverged, CannotRun; ClientFailed with the steps that led there.
[[nodiscard]] SearchResult search(const WorldPlan& world, const SearchPlan& plan,
                                  faults::Reaper& reaper, const Progress& progress = {});

// Calls `attempt`, which searches `world`. Many libraries remember which scripts their server
// knows: then a client does in one run what it came to know in another. If a foreign lock diverges
// by that, calls `notice` and `attempt` again, with new processes for each run: `world` says so
// then.
[[nodiscard]] SearchResult search_with_new_processes_if_need_be(
    WorldPlan& world, const std::function<SearchResult()>& attempt,
    const std::function<void(const Diverged&)>& notice = {});

}  // namespace explore
