// The wall clock of a server or a client, which can be stepped while its process runs.
//
// The process is started with a library (clock_preload.cpp) that adds an offset to the time of day.
// The offset lies in a file that both map, so a step takes effect at once. A program that asks the
// kernel for the time past the C library, as Go's do, does not live by it.
// Thread-safety: none; one thread at a time.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

#include "faults/kit/clock_file.h"

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
  // True if the process has asked for the time, by any clock, in a way that this clock replaces.
  [[nodiscard]] bool is_read() const;

 private:
  const std::filesystem::path file_;
  ClockFile* shared_ = nullptr;
};

}  // namespace faults
