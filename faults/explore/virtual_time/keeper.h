// Keeps the time of a program, and of all that it starts: they live in virtual time, and need not
// know it. `./lab run --time virtual` runs itself that way.
//
// Time does not advance as long as any thread of these processes has something to do. When all of
// them wait, and none has anything to read, the keeper advances time to the first deadline, and
// wakes the one thread whose deadline that is. So a slow machine makes a run longer for the people
// who wait for it, and for no process in it.
//
// The processes write what the keeper needs into the page (faults/explore/preload/shared_page.h).
// It asks the kernel for what they cannot know (participants.h). Signals are real, and time does
// not advance until their handlers have run, or the process has stopped or died.
//
// Thread-safety: none; one thread.
#pragma once

#include <string>
#include <vector>

namespace explore {

// Runs that program (a path, and its arguments) in virtual time. Ctrl-C and SIGTERM go to it.
// Returns its exit code, or 128 and the signal that ended it; processes that it leaves running are
// killed. Throws CannotRun, and ends it, if some process keeps real time or does not come to rest,
// or if there are too many. To be called before this program has threads.
[[nodiscard]] int run_in_virtual_time(std::vector<std::string> command);

// True if a keeper keeps this program's time.
[[nodiscard]] bool has_keeper();
// The command line of this program, to be run again; there it is to ask `has_keeper`.
[[nodiscard]] std::vector<std::string> own_command_line();

}  // namespace explore
