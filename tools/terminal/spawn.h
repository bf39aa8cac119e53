// Starts a program of the system's, such as diff(1). (Processes of a scenario are faults::Process
// instead, so that the reaper ends them.)
//
// Thread-safety: safe on any thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <csignal>
#include <string>
#include <vector>

#include "faults/kit/descriptor.h"

namespace terminal {

// Signals that we may ignore while a program has the terminal; the program gets them all the same.
inline constexpr std::array ignored_meanwhile{SIGINT, SIGQUIT, SIGPIPE};

// Close `writing` after the program's start: then reading ends with the program.
struct Pipe {
  faults::Descriptor reading;
  faults::Descriptor writing;
};

// Throws CannotRun.
[[nodiscard]] Pipe make_pipe();

// Descriptors for the program to use instead of ours; -1: ours.
struct Streams {
  int input = -1;
  int output = -1;
  int errors = -1;
};

// Starts the program, found on the PATH; -1 if it cannot be started. It receives every signal that
// we block, and those in `ignored_meanwhile`.
[[nodiscard]] pid_t spawn(std::vector<std::string> command, const Streams& streams);

// Waits for its end; a status as of waitpid(2).
[[nodiscard]] int await_end(pid_t child);

}  // namespace terminal
