#include "faults/explore/atlas/locks.h"

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "faults/kit/errors.h"

namespace atlas {

faults::TestedLock tested_lock_of(const Parts& parts) {
  faults::TestedLock lock;
  lock.name = name_of(parts);
  lock.adds = "a lock of the atlas";
  lock.directory = std::filesystem::path(LAB_SOURCE_DIR) / "faults" / "explore" / "atlas";
  lock.command = {LAB_ATLAS_CLIENT};
  for (auto& word : to_words(parts)) lock.command.push_back(std::move(word));
  return lock;
}

faults::TestedLock lock_named(const std::string& name) {
  try {
    return tested_lock_of(parts_named(name));
  } catch (const std::invalid_argument& error) {
    throw faults::CannotRun(error.what());
  }
}

}  // namespace atlas
