// How a lock conducts itself under a scenario, such that two locks can be compared: per client,
// what it was asked to do, what it sent for that, what became of it on the servers, what it said.
//
// Waiting is left out: of tries that are alike the first is kept. Tokens are not compared.
// Thread-safety: values.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "tools/learning/mistakes/trace_query.h"

namespace learning {

// One command, or the same one to several servers at once.
struct Step {
  std::string name;               // of the command; "a script" whichever way it came
  std::string answer;             // yes, no, an error, nothing; of a look: nil, a value
  std::set<std::string> effects;  // on the lock's key: set, expire, del, …
  std::set<std::string> others;   // the same, on a lock that was another client's
  std::set<std::string> servers;
  std::size_t place = 0;

  [[nodiscard]] bool is_like(const Step& other) const;
};

struct Act {
  std::string client;
  std::string what;     // acquire, inner acquire, release, …; "by itself": what nobody asked for
  std::string outcome;  // what it said; empty: an error, or nothing
  bool was_answered = true;
  std::vector<Step> steps;
  std::size_t place = 0;
};

// The acts of each client, in order.
[[nodiscard]] std::vector<Act> behaviour_of(const TraceQuery& query);

}  // namespace learning
