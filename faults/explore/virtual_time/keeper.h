// Keeps the time of a program, and of all that it starts: they live in virtual time, and need not
// know of it. `./lab run --time virtual` runs itself that way.
//
// Time stands still as long as any thread of any of these processes has something to do. When all
// of them wait, and nobody has anything to read, the keeper moves time on to the next deadline of
// anybody, and wakes the one thread whose deadline that is. So a slow machine makes a run longer
// for those who wait for it, and for nobody in it.
//
// The processes tell it what it needs in faults/explore/preload/page.h; of what they cannot tell it
// asks the kernel (participants.h). Signals are real, and time stands still until their handlers
// have run, or the process has stopped or died.
#pragma once

#include <string>
#include <vector>

namespace explore {

// Runs that program (a path, and its arguments) in virtual time. Ctrl-C and SIGTERM go to it.
// Returns its exit code, or 128 and the signal that ended it; the processes that it leaves behind
// are killed. Throws CannotRun, and ends it, if some process keeps real time or does not come to
// rest, or if there are too many. To be called before this program has threads.
[[nodiscard]] int run_in_virtual_time(std::vector<std::string> command);

// Does a keeper keep this program's time?
[[nodiscard]] bool has_keeper();
// The command line of this program, to be run again; there it is to ask `has_keeper`.
[[nodiscard]] std::vector<std::string> own_command_line();

}  // namespace explore
