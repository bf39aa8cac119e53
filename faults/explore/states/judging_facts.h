// What the judges may still ask of the past: two histories with the same facts are judged alike,
// whatever follows.
//
// A finding stays one. So the facts are the properties that are broken already, and for each
// operation that is under way what its answer will be compared with; for each client whether
// another has written since its last read; and whose the lock is on each server. The judges are in
// faults/judging/; each fact names the one that asks for it.
//
// Thread-safety: pure functions.
#pragma once

#include <chrono>
#include <set>
#include <string>

#include "faults/explore/states/state.h"
#include "faults/kit/history.h"

namespace explore {

struct JudgedLock {
  bool hands_out_tokens = false;     // its acquires answer with fencing tokens
  std::set<std::string> ended = {};  // clients that do nothing more, whatever happens
};

// The facts of a history, as it ends now: times are those that have passed since.
[[nodiscard]] State judging_facts(const faults::Record& record, std::chrono::microseconds now,
                                  const JudgedLock& lock);

}  // namespace explore
