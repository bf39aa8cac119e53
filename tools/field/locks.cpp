#include "tools/field/locks.h"

#include <fmt/format.h>

#include <algorithm>

#include "faults/kit/errors.h"
#include "tools/field/command.h"
#include "tools/field/lock_json.h"
#include "tools/terminal/suggestions.h"

namespace field {
namespace {

namespace fs = std::filesystem;

// The lock in the directory `name` of field/; the build has the program of one in C++.
faults::LockFile lock_in(const std::string& name) {
  return faults::read_lock_file(locks_directory() / name,
                                fs::path(LAB_BINARY_DIR) / "field" / name);
}

std::string without_variant(const std::string& name) {
  return name.substr(0, name.find('/'));
}

}  // namespace

fs::path locks_directory() {
  return fs::path(LAB_SOURCE_DIR) / "field";
}

std::vector<std::string> lock_names() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(locks_directory(), none)) {
    if (fs::exists(entry.path() / "lock.json")) names.push_back(entry.path().filename().native());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<faults::LockFile> all_locks() {
  std::vector<faults::LockFile> locks;
  for (const auto& name : lock_names()) {
    locks.push_back(lock_in(name));
  }
  return locks;
}

bool names_lock(const std::string& name) {
  const auto own = without_variant(name);
  return own.find("..") == std::string::npos && !own.empty() &&
         fs::exists(locks_directory() / own / "lock.json");
}

faults::LockFile lock_file_named(const std::string& name) {
  if (names_lock(name)) return lock_in(without_variant(name));
  throw faults::CannotRun(fmt::format("there is no lock \"{}\" in field/;{} ./lab field shows all",
                                      name, terminal::did_you_mean(name, lock_names())));
}

std::vector<faults::LockFile> locks_named(const std::vector<std::string>& names) {
  if (names.empty()) return all_locks();
  std::vector<faults::LockFile> locks;
  for (const auto& name : names) locks.push_back(lock_file_named(name));
  return locks;
}

faults::TestedLock lock_named(const std::string& name, int nodes) {
  const auto lock = lock_file_named(name);
  must_be_lock_json(lock.directory / "lock.json");
  const auto slash = std::min(name.find('/'), name.size());
  if (!lock.is_installed()) {
    throw faults::CannotRun(
        fmt::format("{} is not installed: ./lab field install {}", lock.name, lock.name));
  }
  if (lock.is_outdated()) {
    throw faults::CannotRun(fmt::format("{} has changed since it was built: ./lab field install {}",
                                        lock.name, lock.name));
  }
  auto stage =
      faults::tested_lock_of(lock, nodes, slash < name.size() ? name.substr(slash + 1) : "");
  stage.command.at(0) = program_named(stage.command.at(0));
  return stage;
}

}  // namespace field
