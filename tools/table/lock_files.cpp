#include "tools/table/lock_files.h"

#include <filesystem>
#include <set>
#include <string>

namespace table {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const faults::TestedLock& stage) {
  std::vector<fs::path> files;
  for (const auto& directory : stage.directories()) {
    for (const auto& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
  }
  return files;
}

std::vector<std::string> names_of_lock_files(const faults::TestedLock& from,
                                             const faults::TestedLock& to) {
  std::set<std::string> others;
  for (const auto& path : files_of(from)) {
    if (path.extension() == ".lua") others.insert(path.filename().native());
  }
  for (const auto& path : files_of(to)) {
    const auto name = path.filename().native();
    const auto kind = path.extension();
    const bool around_the_lock = name == "client.cpp" || name.ends_with("test.cpp");
    if ((kind == ".lua" || kind == ".h" || kind == ".cpp") && !around_the_lock &&
        !name.starts_with("lock.")) {
      others.insert(name);
    }
  }
  std::vector<std::string> files{"lock.h", "lock.cpp"};
  files.insert(files.end(), others.begin(), others.end());
  return files;
}

fs::path path_or_nothing(const faults::TestedLock& stage, const std::string& file) {
  for (const auto& directory : stage.directories()) {
    if (fs::exists(directory / file)) return directory / file;
  }
  return {};
}

}  // namespace

std::vector<FilePair> lock_files(const faults::TestedLock& from, const faults::TestedLock& to) {
  std::vector<FilePair> files;
  for (const auto& file : names_of_lock_files(from, to)) {
    files.push_back({.from = {from.name + "/" + file, path_or_nothing(from, file)},
                     .to = {to.name + "/" + file, path_or_nothing(to, file)}});
  }
  return files;
}

}  // namespace table
