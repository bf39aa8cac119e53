// Builds a working copy, and says what does not compile in words that help.
#pragma once

#include <filesystem>
#include <string>

namespace learning {

struct Built {
  std::filesystem::path client;  // the program; empty if it could not be built
  std::string error;             // the first that the compiler or the linker said, on a line
  std::string excerpt;           // the lines of the source that it is about; may be empty
  int more = 0;                  // how many errors came after that
  std::filesystem::path log;     // all that was said

  [[nodiscard]] bool succeeded() const { return !client.empty(); }
};

// Builds the lock in `working_copy`. `made` is a directory for what the build makes. Takes seconds.
// Throws CannotRun if there is no compiler to do it with.
[[nodiscard]] Built build(const std::filesystem::path& working_copy,
                          const std::filesystem::path& made);

// The first error in what a compiler or a linker has said, in terms of the files in `working_copy`.
// Apart from `build` for tests.
[[nodiscard]] Built first_error_in(const std::string& output,
                                   const std::filesystem::path& working_copy,
                                   const std::filesystem::path& made);

}  // namespace learning
