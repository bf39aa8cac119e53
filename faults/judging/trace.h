// The trace: a history understood. The one reader of a history; judges, the timeline, the report
// and the learner's rules all work on it.
//
// It pairs calls with their answers (`Operation`), commands with their replies and effects
// (`SentCommand`), and works out from what the servers announced whose the lock was and when
// (`ServerHold`). With one server the lock is held where its key exists. With several it is held
// for a client while a majority of them holds it for that client.
//
// A *place* is an event's number in the record. Thread-safety: a value.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "faults/judging/operation.h"
#include "faults/judging/sent_command.h"
#include "faults/judging/server_hold.h"
#include "faults/kit/history.h"

namespace faults {

struct Trace {
  Record record;  // every event; times count from the first call of the scenario
  nlohmann::json setting;
  std::string key_on_server;  // the lock's key; empty: not known, so that `holds` is empty
  Record events;  // what counts: without the setting, preparations and changes of other keys
  std::vector<Operation> every_operation;  // also of preparations, and on other keys
  std::vector<Operation> operations;       // what counts: the scenario's, on the lock
  std::vector<SentCommand> sent;           // in the order in which they were sent
  std::set<std::size_t> put_back;          // places of changes that a script undid (net_effects.h)
  std::vector<ServerHold> holds;           // in the order in which they began

  explicit Trace(Record history);

  // Is it known on the servers whose the lock is? Else its clients' words and the storage count.
  [[nodiscard]] bool knows_key() const { return !key_on_server.empty(); }
  // True if `client` has said that it has the lock, and has not begun to give it back, at `place`.
  [[nodiscard]] bool claims(const std::string& client, std::size_t place) const;
  // Milliseconds since the first call.
  [[nodiscard]] long long ms(std::size_t place) const { return record.at(place).at.count() / 1000; }
  [[nodiscard]] std::size_t nodes() const { return setting.value("nodes", std::size_t{1}); }
  // How many servers make a majority.
  [[nodiscard]] std::size_t majority() const { return nodes() / 2 + 1; }
  // The lock's server that `server` represents: a replica represents the first.
  [[nodiscard]] std::string node_of(const std::string& server) const;

  // A hold of the client that has the lock at `place`, on a majority of the servers; null: there is
  // none.
  [[nodiscard]] const ServerHold* hold_at(std::size_t place) const;
  // The hold on `server` at `place`, or null.
  [[nodiscard]] const ServerHold* hold_on(const std::string& server, std::size_t place) const;
  // Had its key been given a lease before `place`?
  [[nodiscard]] bool had_lease(const ServerHold& hold, std::size_t place) const;
  // True if a majority holds the lock for `client` at `place`.
  [[nodiscard]] bool held_for(const std::string& client, std::size_t place) const;
  // On how many servers `fits` is true of a hold.
  template <typename Fits>
  [[nodiscard]] std::size_t count_nodes(const Fits& fits) const {
    std::set<std::string> found;
    for (const auto& hold : holds) {
      if (fits(hold)) found.insert(node_of(hold.server));
    }
    return found.size();
  }

  // Is `client` in an operation of that name at `place`?
  [[nodiscard]] bool is_doing(const std::string& client, std::string_view name,
                              std::size_t place) const;
  // The clients that have a command in flight to `node` at `place` that may use a key, in the order
  // of sending.
  [[nodiscard]] std::vector<std::string> asking(const std::string& node, std::size_t place) const;

  // Until when an operation is known to have lasted: its answer, the death of its client by the
  // scenario's hand, or the end of the history.
  [[nodiscard]] std::size_t end_of(const Operation& operation) const;

  // The longest time that the machine stood still at a stretch since the first call; 0: it did not.
  [[nodiscard]] std::chrono::milliseconds longest_stall() const;
  // For so long that a renewal may have come too late: a fifth of the short lease.
  [[nodiscard]] bool stood_still() const {
    return longest_stall().count() > setting.value("lease_ms", 300) / 5;
  }

  // True if a thread of the same client, other than the one whose acquire this is, has the lock all
  // the time; unless the caller is invited (it joins) or is inside already, by its own answers.
  [[nodiscard]] bool another_thread_is_inside(const Operation& acquire) const;
};

}  // namespace faults
