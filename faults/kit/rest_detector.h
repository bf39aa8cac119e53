// Is another process at rest: does every thread of it wait for something, and has none run since
// the last look?
//
// A program that has got its message and still works on it is not at rest, however long that takes
// it. Read from /proc (https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html; schedstat as in
// cpu_waits.h). Thread-safety: none; one thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>

namespace faults {

class RestDetector {
 public:
  explicit RestDetector(pid_t process);

  // True from the second look on, if it has been at rest since the look before; or if it has ended.
  [[nodiscard]] bool look();

 private:
  const std::filesystem::path threads_;
  // By thread: how long and how often it has run.
  std::map<std::filesystem::path, std::string> before_;
};

}  // namespace faults
