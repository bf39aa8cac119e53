#include "tools/terminal/spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "faults/kit/errors.h"

extern char** environ;

namespace terminal {

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw faults::CannotRun("there are no pipes left");
  return {.reading = faults::Descriptor(ends[0]), .writing = faults::Descriptor(ends[1])};
}

pid_t spawn(std::vector<std::string> command, const Streams& streams) {
  std::vector<char*> pointers;
  for (auto& word : command) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  const auto give = [&](int ours, int its) {
    if (ours >= 0) posix_spawn_file_actions_adddup2(&actions, ours, its);
  };
  give(streams.input, STDIN_FILENO);
  give(streams.output, STDOUT_FILENO);
  give(streams.errors, STDERR_FILENO);
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  sigset_t hears{};
  sigemptyset(&hears);
  for (const int signal : ignored_meanwhile) sigaddset(&hears, signal);
  posix_spawnattr_setsigdefault(&attributes, &hears);
  sigset_t none{};
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t child = -1;
  const int error =
      posix_spawnp(&child, pointers[0], &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}

int await_end(pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace terminal
