// Runs a searched world event by event: someone else chooses which event is next.
//
//   controller.begin();
//   for (auto events = controller.events(rules); !events.empty();
//        events = controller.events(rules)) {
//     controller.choose(events.at(i));
//   }
//   faults::judge(controller.record());
//   controller.end();
//
// Between two events every thread of every client waits, and every message is either in flight and
// listed, or has arrived. So a run depends on nothing but the choices.
//
// The world is in searched_world.h, what can happen in enabled_events.h, what becomes of a message
// in network.h, a client's requests beside the events in direct_requests.h, and what follows the
// last event in end_of_run.h, and how its clients start in timer_phases.h.
//
// Thread-safety: none; one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faults/explore/states/server_names.h"
#include "faults/explore/states/state.h"
#include "faults/explore/world/direct_requests.h"
#include "faults/explore/world/enabled_events.h"
#include "faults/explore/world/end_of_run.h"
#include "faults/explore/world/event.h"
#include "faults/explore/world/network.h"
#include "faults/explore/world/searched_world.h"
#include "faults/explore/world/snapshot.h"
#include "faults/explore/world/timer_phases.h"

namespace explore {

class Controller {
 public:
  // Makes a world, on the CPU of that number (SearchedWorld). Throws CannotRun.
  Controller(WorldPlan plan, faults::Reaper& reaper, std::optional<int> cpu = {});
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // A new run, in which nothing has happened yet. Throws CannotRun, ClientFailed.
  void begin();
  // The events that can happen next (EnabledEvents::list); empty: the run has ended.
  [[nodiscard]] std::vector<Event> events(const Rules& rules);
  // Lets one of these events happen. Throws CannotRun, ClientFailed, Stalled.
  void choose(const Event& event);
  // The state that the world is in, by all that its future depends on; `left` is what the search
  // still allows. Between `begin` and `end`, after `events` at this step.
  [[nodiscard]] State state(const std::string& left);
  // The same, of a lock that treats its servers alike (states/world_state.h).
  [[nodiscard]] AnonymousState state_without_names(const std::string& left);
  // What decides, beside the state, which faults may come next (EnabledEvents).
  [[nodiscard]] std::string last_step() const { return events_.last_step(); }
  // The present state of each client and each server.
  [[nodiscard]] Snapshot snapshot();
  // The time since the run began.
  [[nodiscard]] Duration run_time() const { return world_.journal.run_time(); }
  // The history so far.
  [[nodiscard]] const faults::Record& record() const { return world_.journal.record(); }

  // After the last event: a latecomer must get the lock (EndOfRun::probe).
  void probe() { end_.probe(); }
  // Ends the run, at whatever event it is.
  void end();

  [[nodiscard]] const WorldPlan& plan() const { return world_.plan; }
  [[nodiscard]] Duration now() const { return world_.now(); }

 private:
  void begin_a_millisecond();
  void act(const Event& event);
  void act_on_client(const Event& event);
  void strike_server(std::size_t server, EventKind kind);

  SearchedWorld world_;
  Network network_{world_};
  DirectRequests requests_{world_, network_};
  EnabledEvents events_{world_};
  TimerPhases phases_{world_, requests_};
  EndOfRun end_{world_, requests_};
  int runs_ = 0;
  bool may_fail_over_ = false;  // from the present step on
};

}  // namespace explore
