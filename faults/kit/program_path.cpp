#include "faults/kit/program_path.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace faults {

std::optional<std::filesystem::path> program_on_path(const std::string& name) {
  const auto* path = std::getenv("PATH");
  std::istringstream directories(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string directory; std::getline(directories, directory, ':');) {
    auto program = std::filesystem::path(directory) / name;
    if (access(program.c_str(), X_OK) == 0 && !is_directory(program)) return program;
  }
  return std::nullopt;
}

}  // namespace faults
