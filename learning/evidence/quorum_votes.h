// What several servers said to an acquire. Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "learning/evidence/evidence.h"

namespace learning {

// What the servers said to an acquire before it was answered: to its last round.
struct Votes {
  std::map<std::string, const Sent*> yes;  // by server
  std::size_t asked = 0;
};

[[nodiscard]] Votes votes_on(const Evidence& evidence, const Call& call);

// When the last of the votes that make a majority was heard; never: there was none.
[[nodiscard]] std::size_t majority_heard(const Evidence& evidence, const Call& call);

// What was asked of the servers under one token, in an acquire.
struct Round {
  std::string token;
  std::set<std::string> asked;
  std::set<std::string> yes;            // who said yes to the first question, in time
  std::set<std::string> refused_later;  // of these, who said no to a second one
  std::set<std::string> yes_later;      // whoever said yes to a second one
};

// The rounds of an acquire, one for each token that it asked with.
[[nodiscard]] std::vector<Round> rounds_of(const Evidence& evidence, const Call& call);

}  // namespace learning
