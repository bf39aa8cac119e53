// The rows of the timeline: the events of a trace that matter, in words.
//
// With more than two servers one row says what happens on several of them at once: a command to
// five servers, their replies, the lock set on each.
#pragma once

#include <vector>

#include "faults/judging/event_row.h"
#include "faults/judging/trace.h"

namespace faults {

[[nodiscard]] std::vector<Row> rows_of(const Trace& trace);

// True if there are so many servers that simultaneous events share one row, drawn narrow.
[[nodiscard]] inline bool has_a_quorum(const Trace& trace) {
  return trace.nodes() > 2;
}

// Does a replica say there what its master has said? It does until it is promoted.
[[nodiscard]] bool is_echo(const Trace& trace, const Event& event);

// The rows of a trace of more than two servers, with every try of a client that waits.
[[nodiscard]] std::vector<Row> quorum_rows_of(const Trace& trace);

}  // namespace faults
