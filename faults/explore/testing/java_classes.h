// Programs of the tests in Java: built when a test first wants one.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "faults/kit/program_path.h"

namespace explore {

inline bool has_javac() {
  return std::system("command -v javac >/dev/null") == 0;
}

// The command that runs the class of that source, in a directory of faults/explore; empty: it could
// not be built. The tests of several processes may build it at the same time.
inline std::vector<std::string> java_program(const std::string& source) {
  constexpr const char* script = R"([ "$0" -nt "$1" ] ||
      { rm -rf "$0.new" && javac -d "$0.new" "$1" >&2 && rm -rf "$0" && mv "$0.new" "$0"; })";
  const auto name = std::filesystem::path(source).stem().native();
  const auto classes = fmt::format("{}/java/{}", LAB_BINARY_DIR, name);
  std::filesystem::create_directories(LAB_BINARY_DIR "/java");
  const auto code =
      std::system(fmt::format("flock '{0}.lock' sh -c '{1}' '{0}' '{2}/faults/explore/{3}'",
                              classes, script, LAB_SOURCE_DIR, source)
                      .c_str());
  if (code != 0) return {};
  return {faults::program_on_path("java")->native(), "-cp", classes, name};
}

}  // namespace explore
