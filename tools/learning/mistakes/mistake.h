// Mistakes that learners make, each a row: where it can occur, how it shows, what to say.
//
// A row looks at what a lock was seen to do under one scenario, and never at its source, so a lock
// that nobody here has seen gets the sentence that fits. Its predicate must be false for a lock
// that does the thing right in another way. There is no order among rows: two that speak of one
// trace are an error, unless one says that it is the more specific (`rather_than`).
// Thread-safety: values and pure functions.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/learning/mistakes/trace_query.h"

namespace learning {

struct Mistake {
  std::string_view key;  // its name, such as "del_without_compare"
  char until = '8';      // the last exercise in which it can occur
  Seen (*seen)(const TraceQuery& query);
  std::string_view sentence;                       // what the lock did, in at most 25 words
  std::string_view look_at;                        // what to look at, or to do
  std::vector<std::string_view> rather_than = {};  // keys of more general rows
  bool although_it_holds = false;                  // said of a scenario that is green, too
  std::string_view look_at_in_python = {};         // if the other names what is there in C++ only
};

// The rows of each exercise, in mistakes/exercise1.cpp and so on: a mistake stands with the first
// exercise in which it can occur.
[[nodiscard]] std::span<const Mistake> mistakes_with_acquiring();
[[nodiscard]] std::span<const Mistake> mistakes_with_leases();
[[nodiscard]] std::span<const Mistake> mistakes_with_tokens();
[[nodiscard]] std::span<const Mistake> mistakes_with_scripts();
[[nodiscard]] std::span<const Mistake> mistakes_with_renewal();
[[nodiscard]] std::span<const Mistake> mistakes_with_reentry();
[[nodiscard]] std::span<const Mistake> mistakes_with_majorities();
[[nodiscard]] std::span<const Mistake> mistakes_with_fencing();

// The rows that can occur in `exercise`; in any, if it is 0.
[[nodiscard]] std::vector<const Mistake*> mistakes_of(char exercise = 0);

// The words on one trace.
struct Diagnosis {
  std::string key;
  std::string sentence;
  std::string where;  // in which call, by which command, at what time
  std::string look_at;
};

// Every row of `exercise` that speaks of the trace, without those that another is more specific
// than. More than one is an error in the rows. Of a trace that holds: only rows that are said
// although it holds.
[[nodiscard]] std::vector<Diagnosis> mistakes_in(const TraceQuery& query, char exercise,
                                                 bool is_python = false);

// "A's release sent DEL lock at 412 ms, and was answered 1".
[[nodiscard]] std::string describe_place(const TraceQuery& query, const Seen& seen);

}  // namespace learning
