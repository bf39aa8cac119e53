// Notices when the machine stands still.
//
// A thread that wakes up every few milliseconds. When it wakes up far too late, so may have
// everybody else, a watchdog included: that goes into the history, and the judge does not blame a
// lock for what may have been the machine.
#pragma once

#include <chrono>
#include <thread>

#include "faults/judging/history.h"

namespace faults {

class Pulse {
 public:
  // Writes into `history`, until it goes out of scope, each time that it woke up more than
  // `tolerable` too late.
  Pulse(History& history, std::chrono::milliseconds tolerable);

 private:
  std::jthread thread_;
};

}  // namespace faults
