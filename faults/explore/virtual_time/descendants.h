// The processes that come from this one while an object lives, ended with it: also those that have
// lost their parents.
//
// Thread-safety: none; one thread, and one object in a process.
#pragma once

#include <sys/types.h>

#include <vector>

namespace explore {

class Descendants {
 public:
  // From now on a process that loses its parent becomes a child of this one (PR_SET_CHILD_SUBREAPER
  // in prctl(2)).
  Descendants();
  // Kills and reaps all that have come, except the kit's reapers: those end by themselves when
  // their owners are dead, and are waited for.
  ~Descendants();
  Descendants(const Descendants&) = delete;
  Descendants& operator=(const Descendants&) = delete;

 private:
  [[nodiscard]] std::vector<pid_t> children() const;

  const std::vector<pid_t> others_;  // children that were there before
};

// The kit's reaper (faults/kit/reaper_main.cpp). It is linked statically, and no client waits for
// it: it takes no part in virtual time.
[[nodiscard]] bool is_reaper(pid_t process);

}  // namespace explore
