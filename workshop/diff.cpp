// `lab diff`: the difference between two stages' locks.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "workshop/commands.h"
#include "workshop/stages.h"
#include "workshop/unified_diff.h"

namespace workshop {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const faults::Stage& stage) {
  std::vector<fs::path> files;
  for (const auto& directory : stage.directories()) {
    for (const auto& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
  }
  return files;
}

// The files that make up a lock, header first; then the scripts, and what the later stage brings
// with it.
std::vector<std::string> lock_files(const faults::Stage& from, const faults::Stage& to) {
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

fs::path path_or_nothing(const faults::Stage& stage, const std::string& file) {
  for (const auto& directory : stage.directories()) {
    if (fs::exists(directory / file)) return directory / file;
  }
  return {};
}

}  // namespace

int diff(const Options& options, const std::string& from_name, const std::string& to_name) {
  const auto from = stage_named(from_name);
  const auto to = stage_named(to_name);
  std::cout << options.paint.bold(fmt::format("{} → {}: {}", from.name, to.name, to.adds)) << "\n\n"
            << std::flush;
  for (const auto& file : lock_files(from, to)) {
    show_difference(options.paint, {from.name + "/" + file, path_or_nothing(from, file)},
                    {to.name + "/" + file, path_or_nothing(to, file)});
  }
  return exit_holds;
}

}  // namespace workshop
