// A history made ready for judging: preparations left out, calls paired with their answers, and
// what the server held worked out from what it announced.
#pragma once

#include <limits>
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

// One time that the lock's key existed on the server.
struct ServerHold {
  std::string server;
  std::size_t from = 0;
  std::size_t to = never;
  std::string owner;     // the client whose acquire set it; empty if there is no telling
  std::string end;       // "del", "expired", "died" with its server, or empty while it exists
  std::string ended_by;  // the client whose command removed it; empty if none did
};

struct Story {
  Record events;  // without preparations; times count from the first call
  nlohmann::json setting;
  std::vector<Operation> operations;
  std::vector<ServerHold> holds;

  explicit Story(const Record& record);

  // Milliseconds since the first call.
  [[nodiscard]] long long ms(std::size_t place) const { return events.at(place).at.count() / 1000; }
  // The hold that exists at `place`, or null.
  [[nodiscard]] const ServerHold* hold_at(std::size_t place) const;
};

}  // namespace faults
