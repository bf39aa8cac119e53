// Starts a program of the system's, such as diff(1). (What takes part in an experiment is a
// faults::Process: the reaper looks after it.)
//
// Thread-safety: safe on any thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <csignal>
#include <string>
#include <vector>

namespace terminal {

// What we may ignore while a program has the terminal, and it is to hear all the same.
inline constexpr std::array ignored_meanwhile{SIGINT, SIGQUIT, SIGPIPE};

// Descriptors that it is to have instead of ours; -1: ours.
struct Streams {
  int input = -1;
  int output = -1;
  int errors = -1;
};

// Looks for it on the PATH; -1 if it cannot be started. It hears every signal that we block, and
// `ignored_meanwhile`.
[[nodiscard]] pid_t spawn(std::vector<std::string> command, const Streams& streams);

// Waits for its end; a status as of waitpid(2).
[[nodiscard]] int await_end(pid_t child);

}  // namespace terminal
