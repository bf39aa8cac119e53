#include "faults/parts/temp_dir.h"

#include <fmt/format.h>

#include "core/token.h"
#include "faults/errors.h"

namespace faults {

TempDir::TempDir(Reaper& reaper) : reaper_(reaper) {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  if (error) {
    throw CannotRun(
        fmt::format("cannot use the directory for temporary files: {}; point TMPDIR "
                    "at one that exists",
                    error.message()));
  }
  path_ = parent / ("redis-lock-lab-" + core::random_token().substr(0, 12));
  reaper_.make_directory(path_);
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  if (!ignored) reaper_.remove(path_);
}

}  // namespace faults
