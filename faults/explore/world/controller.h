// The controller: a lock's servers, clients and storage in virtual time, where one event happens at
// a time, and which one is somebody else's choice.
//
//   controller.begin();
//   for (auto events = controller.events(rules); !events.empty(); events =
//   controller.events(rules)) {
//     controller.choose(events.at(i));
//   }
//   faults::judge(controller.record());
//   controller.end();
//
// Between two events every thread of every client waits, and every message is either on its way and
// listed, or has arrived. So a run depends on nothing but the choices.
//
// Thread-safety: none; one thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "faults/explore/virtual_time/one_cpu.h"
#include "faults/explore/world/event.h"
#include "faults/explore/world/explored_client.h"
#include "faults/explore/world/journal.h"
#include "faults/explore/world/lock_server.h"
#include "faults/explore/world/program.h"
#include "faults/explore/world/snapshot.h"
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
  // A new process for each client that has done something: for a lock that remembers in one run
  // what it came to know in another.
  bool fresh_clients = false;
  std::vector<faults::Property> judged;
  // The history names itself so.
  std::string sentence = "an order of events that a search has chosen";
};

// The events that may be chosen.
struct Rules {
  unsigned faults = 0;  // the kinds of Fault that may happen; 0: none any more
  // The operations of a client during which a fault may happen to it, or to a server; empty: all.
  std::vector<std::string> during = {};
  bool reduced = true;  // leave out what only repeats other orders (events.cpp)
  // Nothing but faults has been searched so far: nobody has had the chance of a fault before.
  bool first = false;
};

class Controller {
 public:
  // Takes place on one CPU, the calling thread too: that of `number` (OneCpu), or where it is.
  Controller(WorldPlan plan, faults::Reaper& reaper, std::optional<int> number = {});
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // A new run, in which nothing has happened yet. Throws CannotRun.
  void begin();
  // The events that can happen next, always in the same order, the faults last; none: the run is
  // over. Each has another label.
  [[nodiscard]] std::vector<Event> events(const Rules& rules);
  void choose(const Event& event);
  // Shows what each client and each server has, now.
  [[nodiscard]] Snapshot snapshot();
  // The time since the run began.
  [[nodiscard]] Duration run_time() const { return journal_.run_time(); }
  // The events so far.
  [[nodiscard]] const faults::Record& record() const { return journal_.record(); }

  // At the end of a run: a latecomer must get the lock. At once, if every client has given back
  // what it had; otherwise once every lease has ended. Writes down what became of it.
  void probe();
  // Ends the run, however far it came.
  void end();

  [[nodiscard]] const WorldPlan& plan() const { return plan_; }
  [[nodiscard]] Duration now() const { return time_.now(); }

 private:
  void act(const Event& event);
  void remember(const Event& event);
  void act_on_client(const Event& event);
  void move_to_another_cpu();
  void begin_a_millisecond();

  // The listing of events, in events.cpp.
  void add_messages(ExploredClient& client, bool answers_only, std::vector<Event>& events) const;
  void add_faults(ExploredClient& client, const Rules& rules, std::vector<Event>& events) const;
  void add_message_faults(ExploredClient& client, const Rules& rules,
                          std::vector<Event>& events) const;
  void add_server_faults(const Rules& rules, bool answer_is_due, std::vector<Event>& events) const;
  void add_time(std::vector<Event>& events);
  // Is it in an operation during which a fault may happen?
  [[nodiscard]] bool is_meant(const ExploredClient& client, const Rules& rules) const;
  // May what stops a client end?
  [[nodiscard]] bool may_end(const ExploredClient& client, const Rules& rules) const;
  [[nodiscard]] ExploredClient* goes_first() const;
  [[nodiscard]] bool something_is_due() const;
  struct Moment {
    Duration time;
    std::string what;
  };
  // The next moment for which somebody waits.
  [[nodiscard]] std::optional<Moment> next_moment();

  [[nodiscard]] ExploredClient& client(const std::string& name);
  void send(ExploredClient& client, Exchange& exchange);
  void carry_out(ExploredClient& client, Exchange& exchange, const Waiting& command);
  void take_answers(Exchange& exchange, std::string_view bytes);
  void collect_answers(std::size_t server);
  void reply(ExploredClient& client, Exchange& exchange);
  void lose(ExploredClient& client, Exchange& exchange);
  void slow_down(ExploredClient& client, Exchange& exchange);
  void strike(std::size_t server, Deed deed);
  void go_on_to(Duration time);
  // Connects a client, and has it take and give back a lock of its own. If it waits for that by the
  // clock, time goes on; but not within a run.
  void warm_up(ExploredClient& client, bool time_goes_on = true);
  // Has `client` do something beside its program; whatever anybody asks is answered at once.
  void ask_and_answer(ExploredClient& client, nlohmann::json request);
  // The same, while what others have asked stays on its way. Time goes on only if the client needs
  // that, and if it may.
  void ask_alone(ExploredClient& client, nlohmann::json request, bool time_goes_on);
  // Sends on every message that is on its way, and those that come of it.
  void answer_everybody();
  [[nodiscard]] bool answer_once(ExploredClient& client);
  // The clients, and the latecomer.
  [[nodiscard]] std::vector<ExploredClient*> everybody() const;
  // When the first of their waits ends.
  [[nodiscard]] std::optional<Duration> next_deadline() const;
  void let_leases_end();
  void latecomer_must_get_in(std::chrono::milliseconds wait);
  void let_timers_pass();
  [[nodiscard]] std::string name_of(const Exchange& exchange) const;
  void note(const ExploredClient& client, const Exchange& exchange, const Waiting& message,
            faults::Kind kind);
  void note_fault(const ExploredClient& client, const Exchange& exchange, const Waiting& message,
                  std::string_view what, std::string_view side);

  WorldPlan plan_;
  OneCpu cpu_;
  faults::Reaper& reaper_;
  faults::TempDir directory_;
  VirtualTime time_;
  Journal journal_;
  std::vector<std::unique_ptr<LockServer>> servers_;
  ClientProgram program_;
  Surroundings around_;
  std::vector<std::unique_ptr<ExploredClient>> clients_;
  std::unique_ptr<ExploredClient> latecomer_;
  std::unique_ptr<faults::Accounts> accounts_;
  int runs_ = 0;
  std::set<std::string> to_warm_up_;  // clients that did something between two runs

  // The last step that was no fault, and the faults behind it.
  struct LastStep {
    std::string client;                 // that did it; empty: time
    std::optional<std::size_t> server;  // that it was about
    bool was_begin = false;
    bool was_time = false;
    bool client_fault = false;   // a fault of a client came behind it
    bool server_fault = false;   // one of a server
    std::set<std::string> died;  // the clients that were killed behind it
  };

  // These are of the run under way.
  LastStep last_step_;
  bool may_fail_over_ = false;    // such a fault may happen in this run
  std::set<std::string> rested_;  // clients that are frozen or cut off, since which time went on
};

}  // namespace explore
