// Which branches of a lock's scripts a search took: each call that it recorded (script_calls.h) is
// made again, on a server of its own, by a copy of the script that counts (lua_branches.h).
//
// That server has the keys that the searched one had, in a time that stands still. It has no
// subscribers, and its clock shows another time: a branch that depends on how many PUBLISH reached,
// or on TIME, may be another one than in the search. A script called within MULTI is made again
// with the data of the moment at which it was queued.
//
// Thread-safety: none; one thread.
#pragma once

#include <string>
#include <vector>

#include "faults/explore/coverage/lua_branches.h"
#include "faults/explore/coverage/script_calls.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_binary.h"
#include "faults/world/tested_lock.h"

namespace explore {

struct ScriptCoverage {
  struct Branch {
    LuaBranch branch;
    bool is_taken = false;
  };

  std::string name;
  long calls = 0;           // in the search; 0: the lock has it, and no order called it
  bool is_readable = true;  // false: its branches are not known
  std::vector<Branch> branches;

  [[nodiscard]] long taken() const;
};

// The scripts that were called, then those of `stage` that were not; each by name. Throws
// CannotRun.
[[nodiscard]] std::vector<ScriptCoverage> cover_scripts(const ScriptCalls& recorded,
                                                        const faults::TestedLock& stage,
                                                        const faults::RedisBinary& binary,
                                                        faults::Reaper& reaper);

}  // namespace explore
