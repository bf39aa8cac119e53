// Nothing outlives the runner: the other end of the pipe to the reaper process (reaper_main.cpp).
//
// One per program. Every process the kit starts and every directory it makes is registered here
// before it comes to life, so that no death of the runner leaves one of them. Thread-safety: safe
// to share.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <mutex>
#include <string_view>

#include "faults/kit/descriptor.h"

namespace faults {

class Reaper {
 public:
  // Lets this program, and what it starts, have as many descriptors as the system allows; then
  // starts the reaper process. Throws CannotRun.
  Reaper();
  // Ends it, as `finish` does.
  ~Reaper();
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

  // The pipe, for a process that is about to become a program and registers itself: only it can do
  // so before that. Throws CannotRun.
  [[nodiscard]] Descriptor pipe();
  // To be called in that process: registers it. Async-signal-safe. False, and `errno`: it must not
  // become one.
  [[nodiscard]] static bool add_this_process(int pipe) noexcept;
  // Registers a process that another one has begun.
  void add(pid_t process);
  void remove(pid_t process);
  // Makes the directory (mode 0700) and registers it, in one: if it were made after `finish`, it
  // would never be removed. Throws CannotRun.
  void make_directory(const std::filesystem::path& directory);
  void remove(const std::filesystem::path& directory);

  // Has everything registered killed and removed, and waits until it is. From then on nothing can
  // be registered: `pipe` and `make_directory` throw CannotRun.
  void finish() noexcept;

 private:
  void say(std::string_view verb, std::string_view what);  // with mutex_ held

  std::mutex mutex_;
  Descriptor pipe_;  // guarded by mutex_
  pid_t process_ = -1;
};

// Here, as a process that is not of this program has no more than the header:
// faults/explore/preload.
inline bool Reaper::add_this_process(int pipe) noexcept {
  constexpr std::string_view verb = "+pid ";
  std::array<char, 32> line{};
  auto* at = std::copy(verb.begin(), verb.end(), line.data());
  at = std::to_chars(at, line.end() - 1, getpid()).ptr;
  *at++ = '\n';
  return write(pipe, line.data(), static_cast<std::size_t>(at - line.data())) == at - line.data();
}

}  // namespace faults
