#include "faults/kit/reaper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "faults/kit/errors.h"

extern char** environ;

namespace faults {
namespace {

constexpr auto gone = "the reaper process is gone: this run is being ended";

// A world of five servers needs more than a hundred descriptors, and many are there at a time: more
// than a program usually may have that does not ask (1024).
void allow_many_descriptors() {
  // No more: a kernel before 5.9 closes them one by one for every process (process.cpp).
  constexpr rlim_t enough = 1U << 16U;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= enough) return;
  limit.rlim_cur = std::min(limit.rlim_max, enough);
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Reaper::Reaper() {
  std::signal(SIGPIPE, SIG_IGN);
  allow_many_descriptors();
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw CannotRun("cannot make a pipe");
  const Descriptor read_end(ends[0]);
  pipe_.reset(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, read_end.get(), STDIN_FILENO);
  std::string program = LAB_REAPER;
  std::array<char*, 2> arguments{program.data(), nullptr};
  const int error =
      posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw CannotRun(
        fmt::format("cannot start {}: {}; build the project again", program, std::strerror(error)));
  }
}

Reaper::~Reaper() {
  finish();
}

Descriptor Reaper::pipe() {
  const std::lock_guard guard(mutex_);
  Descriptor copy(fcntl(pipe_.get(), F_DUPFD_CLOEXEC, 0));
  if (copy.get() < 0) {
    throw CannotRun(errno == EBADF ? std::string(gone)
                                   : fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  return copy;
}

void Reaper::add(pid_t process) {
  const std::lock_guard guard(mutex_);
  say("+pid", std::to_string(process));
}

void Reaper::remove(pid_t process) {
  const std::lock_guard guard(mutex_);
  say("-pid", std::to_string(process));
}

void Reaper::make_directory(const std::filesystem::path& directory) {
  const std::lock_guard guard(mutex_);
  say("+dir", directory.native());  // first: between this and the next the program may be killed
  if (mkdir(directory.c_str(), 0700) == 0) return;
  const int reason = errno;
  say("-dir", directory.native());
  throw CannotRun(fmt::format("cannot make {}: {}; point TMPDIR at a place with room",
                              directory.native(), std::strerror(reason)));
}

void Reaper::remove(const std::filesystem::path& directory) {
  const std::lock_guard guard(mutex_);
  say("-dir", directory.native());
}

void Reaper::finish() noexcept {
  const std::lock_guard guard(mutex_);
  if (pipe_.get() < 0) return;
  pipe_.reset();
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Reaper::say(std::string_view verb, std::string_view what) {
  const auto line = fmt::format("{} {}\n", verb, what);
  // Shorter than PIPE_BUF, so written whole or not at all.
  if (write(pipe_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()) &&
      verb[0] == '+') {
    throw CannotRun(gone);
  }
}

}  // namespace faults
