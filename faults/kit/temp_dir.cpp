#include "faults/kit/temp_dir.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "core/token.h"
#include "faults/kit/errors.h"

namespace faults {
namespace {

namespace fs = std::filesystem;

constexpr const char* in_memory = "/dev/shm";
// More than all tests at once ever write, learners' builds included.
constexpr std::uint64_t enough_room = 256ULL << 20U;

bool has_room_in_memory() {
  struct statfs found {};
  return statfs(in_memory, &found) == 0 && found.f_type == TMPFS_MAGIC &&
         (found.f_flags & ST_NOEXEC) == 0 &&  // learners' locks are built and run there
         found.f_bavail * static_cast<std::uint64_t>(found.f_bsize) >= enough_room &&
         access(in_memory, W_OK | X_OK) == 0;
}

fs::path place_for_directories(std::error_code& error) {
  if (std::getenv("TMPDIR") == nullptr && has_room_in_memory()) return in_memory;
  return fs::temp_directory_path(error);
}

}  // namespace

TempDir::TempDir(Reaper& reaper) : reaper_(reaper) {
  std::error_code error;
  const auto parent = place_for_directories(error);
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
  fs::remove_all(path_, ignored);
  if (!ignored) reaper_.remove(path_);
}

}  // namespace faults
