// Client and server on one CPU, for as long as this lives.
//
// Free, on an idle machine, most of a round trip is the time that a sleeping CPU takes to wake up,
// and runs fall into two heaps, by where the scheduler put the two. On one CPU there is no waking
// up: what is left is what the code costs. Thread-safety: of the thread that makes it; threads that
// are started meanwhile are pinned as well.
#pragma once

#include <sched.h>
#include <sys/types.h>

namespace bench {

class Pinned {
 public:
  // Pins the calling thread and `server`'s main thread. Throws faults::CannotRun.
  explicit Pinned(pid_t server);
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  cpu_set_t before_{};
};

}  // namespace bench
