// The fencing tokens that holds were given, and the counts behind them. Thread-safety: pure
// functions.
#pragma once

#include <optional>
#include <string>

#include "learning/evidence/evidence.h"

namespace learning {

// The fencing token that an acquire was answered with.
[[nodiscard]] std::optional<long long> token_of(const Call& call);

// The counter that a server's answer to an acquire brings along: its second number.
[[nodiscard]] std::optional<long long> counter_in(const Sent& command);

// Is `key` that of a counter of the lock, such as "lock:fencing"?
[[nodiscard]] bool is_name_of_counter(const std::string& key);

// Is `event` what a server did to such a counter?
[[nodiscard]] bool is_of_counter(const faults::Event& event);

// The command in the course of which a server did `event`; null: none of a client's.
[[nodiscard]] const Sent* cause_of(const Evidence& evidence, const faults::Event& event);

// Has a majority said yes to `token` in a round of its own, which named it? Then it is the
// servers', wherever it comes from.
[[nodiscard]] bool is_stored(const Evidence& evidence, const Call& call, long long token);

// Is `hold` over, as far as its client knows, before `next` is asked for?
[[nodiscard]] bool is_over(const Evidence& evidence, const Call& hold, const Call& next);

// Two holds, one after the other, of which the later has no greater token. (Of two that were asked
// for at the same time it cannot be said which is the later one; the same token is wrong for both.)
struct Pair {
  const Call* earlier = nullptr;
  const Call* later = nullptr;
};

[[nodiscard]] Pair not_greater(const Evidence& evidence);

}  // namespace learning
