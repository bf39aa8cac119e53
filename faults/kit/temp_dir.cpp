#include "faults/kit/temp_dir.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
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

fs::path place_for_directories() {
  const char* wanted = std::getenv("TMPDIR");
  if (wanted == nullptr || *wanted == '\0') return has_room_in_memory() ? in_memory : P_tmpdir;
  std::error_code error;
  if (fs::is_directory(wanted, error) && access(wanted, W_OK | X_OK) == 0) return wanted;
  throw CannotRun(fmt::format(
      "TMPDIR is \"{}\", which is not a directory that can be written to; correct it, or "
      "unset it",
      wanted));
}

}  // namespace

TempDir::TempDir(Reaper& reaper) : reaper_(reaper) {
  path_ = place_for_directories() / ("redis-lock-lab-" + core::random_token().substr(0, 12));
  reaper_.make_directory(path_);
}

TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (!ignored) reaper_.remove(path_);
}

}  // namespace faults
