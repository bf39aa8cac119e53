// Builds a workspace, and says what does not compile in words that help.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/learning/workspace/exercise.h"

namespace learning {

struct Built {
  std::vector<std::string> client;  // the program and its arguments; empty: it could not be built
  std::string error;                // the first that the compiler or the linker said, on a line
  std::string excerpt;              // the lines of the source that it is about; may be empty
  int more = 0;                     // how many errors came after that
  std::filesystem::path log;        // all that was said

  [[nodiscard]] bool succeeded() const { return !client.empty(); }
};

// Builds the lock of `exercise` in `workspace`. `made` is a directory for what the build makes.
// Takes seconds. Throws CannotRun if there is no compiler to do it with.
[[nodiscard]] Built build(const Exercise& exercise, const std::filesystem::path& workspace,
                          const std::filesystem::path& made);

// The first error in what a compiler or a linker has said, in terms of the files in `workspace`.
// Apart from `build` for tests.
[[nodiscard]] Built first_error_in(const std::string& output,
                                   const std::filesystem::path& workspace,
                                   const std::filesystem::path& made);

}  // namespace learning
