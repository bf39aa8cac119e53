// The wall clock of a server or a client, which can be stepped while its process runs.
//
// The process is started with a library (clock_preload.cpp) that adds an offset to the time of day.
// The offset lies in a file that both map, so a step takes effect at once.
// Thread-safety: none; one thread at a time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace faults {

class Clock {
 public:
  // Keeps its file in `directory`. Throws CannotRun.
  explicit Clock(const std::filesystem::path& directory);
  ~Clock();
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  // The environment of a process that is to live by this clock.
  [[nodiscard]] std::map<std::string, std::string> environment() const;

  // Moves it `by` ahead, or back if that is negative.
  void step(std::chrono::milliseconds by);

  // How far it is ahead of this machine's.
  [[nodiscard]] std::chrono::nanoseconds offset() const;

 private:
  const std::filesystem::path file_;
  std::int64_t* offset_ = nullptr;  // in nanoseconds, in the file
};

// Does that process live by such a clock? One that is linked statically does not.
[[nodiscard]] bool lives_by_a_clock(pid_t process);

}  // namespace faults
