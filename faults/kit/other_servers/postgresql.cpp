#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "faults/kit/errors.h"
#include "faults/kit/other_servers/server_kind.h"

namespace faults {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

// Debian keeps each version's programs by themselves: the newest.
fs::path programs() {
  const fs::path versions = "/usr/lib/postgresql";
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(versions, none)) {
    if (fs::exists(entry.path() / "bin/postgres")) found.push_back(entry.path() / "bin");
  }
  if (found.empty())
    throw CannotRun("PostgreSQL is not installed: no server below " + versions.native());
  return *std::max_element(found.begin(), found.end());
}

// PostgreSQL does not run as root. A user namespace makes root another user, for this program only.
Command as_somebody(const std::string& name, std::vector<std::string> arguments) {
  auto program = programs() / name;
  arguments.insert(arguments.begin(), name);
  if (geteuid() != 0) {
    return {.program = program, .arguments = std::move(arguments), .environment = {}, .log = {}};
  }
  arguments.front() = program;
  arguments.insert(arguments.begin(), {"unshare", "--user", "--map-user=1"});
  return {.program = "/usr/bin/unshare",
          .arguments = std::move(arguments),
          .environment = {},
          .log = {}};
}

class PostgreSql : public ServerKind {
 public:
  void prepare(const fs::path& directory, const fs::path& log, Reaper& reaper) const override {
    auto make = as_somebody("initdb", {"-D", directory / "data", "--auth=trust", "--username=lab",
                                       "--no-sync", "--wal-segsize=1", "--locale=C"});
    make.log = log;
    run_to_its_end(make, reaper);
  }

  [[nodiscard]] Command command(const ServerGroup& group, std::size_t member,
                                const fs::path& directory) const override {
    const auto port = std::to_string(group.members.at(member).clients.number());
    // What it shares in memory is a file of its directory: segments in /dev/shm outlive a SIGKILL.
    return as_somebody(
        "postgres", {"-D", directory / "data", "-p", port, "-c", "listen_addresses=127.0.0.1", "-c",
                     "unix_socket_directories=", "-c", "min_wal_size=2MB", "-c", "autovacuum=off",
                     "-c", "dynamic_shared_memory_type=mmap"});
  }

  // The first word of a session, and the server's answer: R, or E while it starts
  // (https://www.postgresql.org/docs/15/protocol-message-formats.html, StartupMessage).
  [[nodiscard]] bool serves(int port) const override {
    const auto hello = "\0\0\0\x24\0\3\0\0user\0lab\0database\0postgres\0\0"s;
    return ask_server(port, hello, 1) == "R";
  }
};

}  // namespace

std::unique_ptr<const ServerKind> postgresql() {
  return std::make_unique<PostgreSql>();
}

}  // namespace faults
