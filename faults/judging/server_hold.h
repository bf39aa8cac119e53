// One time that the lock was held on a server, and whose it was: as a rule, that its key existed.
// But a counter at 0 is a free lock (counted_holds.h), a client can take over a key whose value
// says that its time has passed, and a script can put back what it removed (net_effects.h).
//
// A server announces that the key was set and removed, not by whom: that is worked out from the
// operations and the commands that were under way. Thread-safety: values.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "faults/judging/operation.h"

namespace faults {

struct Trace;

// A client that entered a hold by its token, from the answer that let it in to that of its release.
struct JoinedPeriod {
  std::size_t from = 0;
  std::size_t to = never;
};

struct ServerHold {
  std::string server;
  std::size_t from = 0;
  std::size_t to = never;
  std::string owner;  // the client whose acquire set it; empty if that cannot be told
  std::string end;  // "del", "expired", "taken over", "died" with its server; empty while it exists
  std::string ended_by;                   // the client whose command removed it; empty if none did
  std::set<std::string> possible_owners;  // clients that asked at the same moment
  std::map<std::string, JoinedPeriod> joined;  // by client

  [[nodiscard]] bool exists_at(std::size_t place) const { return from <= place && place < to; }
  [[nodiscard]] bool is_of(const std::string& client) const {
    return owner == client || joined.contains(client);
  }
  // The same, and who joined it is inside at `place`.
  [[nodiscard]] bool is_of(const std::string& client, std::size_t place) const {
    if (owner == client) return true;
    const auto stay = joined.find(client);
    return stay != joined.end() && stay->second.from <= place && place <= stay->second.to;
  }
  [[nodiscard]] bool may_be_of(const std::string& client) const {
    return is_of(client) || possible_owners.contains(client);
  }
};

// All holds of a history, in the order in which they began; of `trace` all else must be there.
[[nodiscard]] std::vector<ServerHold> read_holds(const Trace& trace);

}  // namespace faults
