#include "faults/parts/temp_dir.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

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
  reaper_.add(path_);  // first: between these two lines the program may be killed
  if (mkdir(path_.c_str(), 0700) != 0) {
    const int reason = errno;
    reaper_.remove(path_);
    throw CannotRun(fmt::format("cannot make {}: {}; point TMPDIR at a place with room",
                                path_.native(), std::strerror(reason)));
  }
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  if (!ignored) reaper_.remove(path_);
}

}  // namespace faults
