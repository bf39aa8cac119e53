// Lists the events that can happen next, and leaves out those that only repeat other orders.
//
// Reduced, the list leaves out:
//   - whatever could happen before a reply reaches its client, since a reply concerns its client
//     alone; the same is true of a client's first command, once it has begun;
//   - a fault of a client anywhere but right after a step of that client: it does the same whether
//     other clients have moved since or not;
//   - a fault of a server anywhere but right after a step that was about it, or after time;
//   - a second fault anywhere but after the same step. Of two faults that can be exchanged the
//     client's comes first. (A frozen client does not see that a connection breaks: there the order
//     matters.)
//   - a freeze, or a cut, that ends before time advances: it is none;
//   - all clients that have not begun but the first: they are alike.
//
// Thread-safety: none; one thread.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "faults/explore/world/event.h"
#include "faults/explore/world/searched_world.h"

namespace explore {

// The events that may be chosen.
struct Rules {
  unsigned faults = 0;  // the kinds (FaultKind) that may happen; 0: none any more
  // The operations of a client during which a fault may happen to it, or to a server; empty: all.
  std::vector<std::string> during = {};
  bool reduced = true;
  // All steps so far were faults: no fault could have been chosen earlier.
  bool first = false;
};

class EnabledEvents {
 public:
  explicit EnabledEvents(SearchedWorld& world) : world_(world) {}

  // A new run, in which nothing has happened yet.
  void begin_run();
  // `event` is about to happen.
  void note(const Event& event);

  // Always in the same order, the faults last, and each with a label of its own. Empty: the run has
  // ended.
  [[nodiscard]] std::vector<Event> list(const Rules& rules);

  // What decides, beside the world, which steps are left out: of the faults at the next step, and
  // of what may follow.
  [[nodiscard]] std::string last_step() const;
  [[nodiscard]] const std::set<std::string>& rested() const { return rested_; }

 private:
  using Events = std::vector<Event>;

  // Of all clients, or of `only` one: all but what servers and time do.
  void add_clients(const SearchedClient* only, const Rules& rules, Events& events, Events& faults);
  void add_messages(SearchedClient& client, bool replies_only, Events& events) const;
  void add_client_faults(SearchedClient& client, const Rules& rules, Events& faults) const;
  void add_message_faults(SearchedClient& client, const Rules& rules, Events& faults) const;
  void add_server_faults(const Rules& rules, bool reply_is_due, Events& faults) const;
  struct Moment {
    Duration time;
    std::string what;
    bool is_timer = false;  // a client's own
    bool is_lease = false;  // the end of one
  };
  void add_time(Events& events);
  // The moments for which a client or a server waits, the first of those that are alike.
  [[nodiscard]] std::vector<Moment> moments();
  // True if a fault may strike the client, by what it is doing now.
  [[nodiscard]] bool may_be_struck(const SearchedClient& client, const Rules& rules) const;
  // The client that is the only one to move, if the list is reduced; null: there is none.
  [[nodiscard]] SearchedClient* only_mover(const Rules& rules);
  // True if some message arrives before time advances.
  [[nodiscard]] bool message_is_due();

  // The last step that was no fault, and the faults after it.
  struct LastStep {
    std::string client;                 // that took the step; empty: time
    std::optional<std::size_t> server;  // that the step was about
    bool was_begin = false;             // and no fault came after it
    bool was_time = false;
    bool client_fault = false;     // a fault of a client came after it
    bool server_fault = false;     // a fault of a server did
    std::set<std::string> killed;  // the clients that were killed after it
  };
  void note_fault(const Event& event);

  SearchedWorld& world_;
  LastStep last_step_;
  std::set<std::string>
      rested_;  // clients that are frozen or cut off, since when time has advanced
};

}  // namespace explore
