// Locks that count: INCR takes the lock and DECR gives it back, so that it is free at 0 although
// its key is there (https://redis.io/docs/latest/commands/decr/).
//
// A server announces that a counter changed, not how far it is: that is worked out from the
// commands that were under way, and their replies. Thread-safety: none.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "faults/judging/trace.h"

namespace faults {

struct CounterChange {
  std::string client;     // its command changed the counter
  bool takes = false;     // the lock was free, and is not any more
  bool is_free = false;   // the counter is at 0, or below
  bool has_left = false;  // that client has counted down as often as up
};

class CountedHolds {
 public:
  explicit CountedHolds(const Trace& trace) : trace_(trace) {}

  // The meaning of a server's announcement about the lock's key; nothing: no command that counts is
  // known to have caused it.
  [[nodiscard]] std::optional<CounterChange> read(const Event& event);

 private:
  struct Counter {
    long long value = 0;
    std::map<std::string, long long> shares;  // by client
  };

  [[nodiscard]] const SentCommand* command_of(const Event& event, const Counter& counter) const;

  const Trace& trace_;
  std::map<std::string, Counter> counters_;  // by server
  std::set<std::size_t> done_;               // commands that the server was seen to do
};

}  // namespace faults
