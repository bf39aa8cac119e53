// The ways in which a run ends before the scenario does: without a verdict about the lock, but for
// one.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

namespace faults {

// The run could not take place: no server, no disk, a client that does not start. Exit code 2; the
// text is one sentence for the person, with what to do.
class CannotRun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The client under test died, hung, or gave an answer that is none: its lock's fault, where a lock
// is judged.
class ClientFailed : public CannotRun {
 public:
  using CannotRun::CannotRun;
};

// The same for other people's locks, in the middle of a scenario: the client never answered, asked
// without end, or died. That is a verdict.
class Misbehaved : public ClientFailed {
 public:
  using ClientFailed::ClientFailed;
};

// The same of one whose program died by itself, such as of an error that it did not handle.
class ProgramDied : public Misbehaved {
 public:
  ProgramDied(std::string client, const std::string& sentence)
      : Misbehaved(sentence), client_(std::move(client)) {}
  [[nodiscard]] const std::string& client() const { return client_; }

 private:
  std::string client_;
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
