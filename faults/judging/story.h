// A history made ready for judging: preparations left out, calls paired with their answers, and
// what the servers held worked out from what they announced.
//
// With one server a lock is held where the key exists. With several it is held for a client while a
// majority of them holds it for that client.
#pragma once

#include <chrono>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "faults/judging/history.h"

namespace faults {

// "Never", as a place in a record.
inline constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

// One operation of one client, from call to answer. Places are indices into `Story::events`.
struct Operation {
  std::string lane;
  std::string name;  // acquire, release, work, bye
  std::size_t called = 0;
  std::size_t answered = never;
  std::string outcome;  // empty if it was never answered

  [[nodiscard]] bool open_at(std::size_t place) const { return called < place && place < answered; }
};

// One time that the lock's key existed on a server.
struct ServerHold {
  std::string server;
  std::size_t from = 0;
  std::size_t to = never;
  std::string owner;     // the client whose acquire set it; empty if there is no telling
  std::string end;       // "del", "expired", "died" with its server, or empty while it exists
  std::string ended_by;  // the client whose command removed it; empty if none did
  std::set<std::string> may_be;  // clients that may own it as well: they asked at the same moment

  [[nodiscard]] bool exists_at(std::size_t place) const { return from <= place && place < to; }
};

struct Story {
  Record events;  // without preparations; times count from the first call
  nlohmann::json setting;
  std::vector<Operation> operations;
  std::vector<ServerHold> holds;

  explicit Story(const Record& record);

  // Milliseconds since the first call.
  [[nodiscard]] long long ms(std::size_t place) const { return events.at(place).at.count() / 1000; }
  // How many servers make a majority.
  [[nodiscard]] std::size_t majority() const { return nodes() / 2 + 1; }
  [[nodiscard]] std::size_t nodes() const;
  // Which of the lock's servers that is: a replica stands for the first.
  [[nodiscard]] std::string node_of(const std::string& server) const;

  // A hold of whoever holds the lock at `place`, on a majority of the servers; null: nobody does.
  [[nodiscard]] const ServerHold* hold_at(std::size_t place) const;
  // What `server` holds at `place`, or null.
  [[nodiscard]] const ServerHold* hold_on(const std::string& server, std::size_t place) const;
  // On how many servers `fits` is true of a hold.
  template <typename Fits>
  [[nodiscard]] std::size_t count_nodes(const Fits& fits) const {
    std::set<std::string> found;
    for (const auto& hold : holds) {
      if (fits(hold)) found.insert(node_of(hold.server));
    }
    return found.size();
  }
  // True if a majority holds the lock for `lane` at `place`.
  [[nodiscard]] bool held_for(const std::string& lane, std::size_t place) const;

  // For how long the machine stood still at a stretch since the first call, at the worst; 0: it did
  // not.
  [[nodiscard]] std::chrono::milliseconds longest_stall() const;
  [[nodiscard]] bool stood_still() const { return longest_stall().count() > 0; }

  // True if a thread of the same client, other than the one whose acquire this is, has the lock all
  // the time; unless it is invited (it joins) or is inside already, by what it was answered.
  [[nodiscard]] bool another_thread_is_inside(const Operation& acquire) const;
};

}  // namespace faults
