// For tests: what the kernel says of a process.
#pragma once

#include <sys/types.h>

#include <fstream>
#include <iterator>
#include <string>

namespace core {

// The state of `process` as the kernel's letter: S sleeping, T stopped (proc(5)).
inline char state_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  const std::string stat(std::istreambuf_iterator<char>(file), {});
  return stat.at(stat.rfind(')') + 2);
}

}  // namespace core
