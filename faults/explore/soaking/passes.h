// The passes of clients through their programs in a history of real time, and those of them that
// have to do with a finding.
//
// Thread-safety: pure functions and values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "faults/judging/trace.h"
#include "faults/judging/verdict.h"

namespace explore {

// One pass of a client: from an acquire without a hold to the next one.
struct Pass {
  std::string client;
  std::size_t from = 0;  // places in the history
  std::size_t to = faults::never;
  bool counts = false;  // it got the lock, or may have, or a fault happened to it
};

// The passes that have to do with it, in the order of their beginnings; at most eight, the last.
[[nodiscard]] std::vector<Pass> passes_around(const faults::Finding& finding,
                                              const faults::Trace& trace);

// The places between which it happened: from the beginning of the holds that there were, until it
// can be seen.
struct Span {
  std::size_t from = faults::never;
  std::size_t last = 0;
};
[[nodiscard]] Span span_of(const faults::Finding& finding, const faults::Trace& trace);

}  // namespace explore
