// The three ways in which a run ends without a verdict about the lock.
#pragma once

#include <chrono>
#include <stdexcept>

namespace faults {

// The run could not take place: no server, no disk, a client that does not start. Exit code 2; the
// text is one sentence for the person, with what to do.
class CannotRun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A file of the run could not be written.
class CannotWrite : public CannotRun {
 public:
  using CannotRun::CannotRun;
};

// The fault did not happen, so nothing was shown: *not exercised*, never a green.
class NotExercised : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// For how long a busy machine may let nothing happen: almost three minutes were seen, in a virtual
// machine beside processes that never sleep. A wait that only the machine can disappoint lasts so
// long.
inline constexpr std::chrono::milliseconds standstill{300'000};

// The machine did not keep up: run again, *inconclusive* if that does not help.
class Stalled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace faults
