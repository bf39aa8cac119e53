// A client program of the reader's own, as a lock to run.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "faults/kit/reaper.h"
#include "faults/running/run_scenario.h"
#include "faults/world/tested_lock.h"

namespace field {

// A client program, and what the kit cannot know of it.
struct ForeignClient {
  std::string command;                 // as for a shell: words, with quotes
  std::filesystem::path facts;         // a file with fields of lock.json; empty: none
  std::string kept_facts = {};         // if there is none: the same as a schedule has kept them
  int nodes = 1;                       // how many servers
  std::string key;                     // on the server, for the lock "%s"; empty: looked for
  std::chrono::milliseconds lease{0};  // the shortest lease; 0: any
  std::chrono::milliseconds retry{0};  // its waiter asks again after at most that; 0: soon
};

// The client is started once, to ask its name and its capabilities, and to see which key it writes.
// Throws CannotRun.
[[nodiscard]] faults::TestedLock lock_of_client(const ForeignClient& client,
                                                const faults::RunPlan& plan,
                                                faults::Reaper& reaper);

}  // namespace field
