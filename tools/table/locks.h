// The locks that other people wrote: those in field/, and a program of the reader's own.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "faults/running/run.h"
#include "faults/world/stage.h"

namespace table {

// Every directory in field/ that describes a lock, by name. Throws CannotRun if one cannot be read.
[[nodiscard]] std::vector<faults::LockFile> all_locks();
// Their names, whatever their descriptions are worth.
[[nodiscard]] std::vector<std::string> lock_names();

// Is "redis-py", or "redis-py/command_timeout", a lock of these, or a variant of one?
[[nodiscard]] bool names_lock(const std::string& name);
// Finds that lock. Throws CannotRun, with the nearest names.
[[nodiscard]] faults::LockFile lock_file_named(const std::string& name);
// The same as a stage, on `nodes` servers (0: its default). Throws CannotRun, with what to do, if
// it is not installed.
[[nodiscard]] faults::Stage lock_named(const std::string& name, int nodes = 0);

// A stage, a wrong turn, or such a lock, on `nodes` servers (0: its default). Throws CannotRun,
// with the nearest names; or if a stage of one server is to stand on more.
[[nodiscard]] faults::Stage stage_or_lock_named(const std::string& name, int nodes = 0);

// A client program, and what the kit cannot know of it.
struct ForeignClient {
  std::string command;                 // as for a shell: words, with quotes
  int nodes = 1;                       // how many servers
  std::string key;                     // on the server, for the lock "%s"; empty: looked for
  std::chrono::milliseconds lease{0};  // the shortest lease; 0: any
  std::chrono::milliseconds retry{0};  // its waiter asks again after at most that; 0: soon
};

// It as a stage: the client is started once, to ask its name and its capabilities, and to see which
// key it writes. Throws CannotRun.
[[nodiscard]] faults::Stage stage_of_client(const ForeignClient& client,
                                            const faults::RunPlan& plan, faults::Reaper& reaper);

// The words of a command line; quotes keep words together. Throws CannotRun if one is never closed.
[[nodiscard]] std::vector<std::string> words_of(const std::string& line);

}  // namespace table
