// One moment of a run on a terminal: what every client believes, what the servers have, and what
// can happen next.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "faults/explore/world/event.h"
#include "faults/explore/world/snapshot.h"
#include "faults/judging/timeline.h"
#include "faults/judging/verdict.h"

namespace explore {

struct MomentView {
  std::size_t step = 0;  // how many events have happened
  std::chrono::milliseconds now{0};
  Snapshot snapshot;
  faults::Judgement judgement;  // of the history so far
  std::vector<Event> events;    // that can happen next
};

[[nodiscard]] std::string describe_moment(const MomentView& moment, const faults::Paint& paint);

// The heading of the timeline, and its last `count` lines.
[[nodiscard]] std::string end_of_timeline(const faults::Record& record, std::size_t count,
                                          const faults::Paint& paint);

}  // namespace explore
