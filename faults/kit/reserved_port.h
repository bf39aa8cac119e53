// A port of 127.0.0.1 for a server that must be given its port before it starts.
//
// The port has no listener when it is chosen, and no other runner of this machine can choose it
// while this object lives. Another program still can: the caller has to expect that. Thread-safety:
// none; one thread at a time.
#pragma once

#include "faults/kit/descriptor.h"

namespace faults {

// Below the ports that the kernel gives to connections: one of those could connect to itself while
// it has no listener.
struct PortRange {
  int first = 20'000;
  int last = 31'999;
};

class ReservedPort {
 public:
  // One of `range`, by chance. Throws CannotRun if each is taken.
  explicit ReservedPort(PortRange range = {});

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_ = 0;
  Descriptor reservation_;  // a socket whose name only one process of the machine can have
};

}  // namespace faults
