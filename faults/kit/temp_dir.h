// A private directory that is gone when its owner is, whatever ends the owner.
#pragma once

#include <filesystem>

#include "faults/kit/reaper.h"

namespace faults {

class TempDir {
 public:
  // Makes a directory (mode 0700) under $TMPDIR. If that is unset or empty: under /dev/shm, if that
  // is memory with 256 MB free (a server that writes each change to disk before it answers is as
  // slow as the disk, and only a fault is to be slow), else under /tmp. Throws CannotRun.
  explicit TempDir(Reaper& reaper);
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  Reaper& reaper_;
  std::filesystem::path path_;
};

}  // namespace faults
