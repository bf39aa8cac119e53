#include "faults/kit/other_servers/server_kind.h"

namespace faults {
namespace {

namespace fs = std::filesystem;

// Each in its own directory for temporary files: a server that starts deletes those of others.
class MariaDb : public ServerKind {
 public:
  void prepare(const fs::path& directory, const fs::path& log, Reaper& reaper) const override {
    run_to_its_end(
        {.program = "/usr/bin/mariadb-install-db",
         .arguments = {"mariadb-install-db", "--no-defaults", "--skip-test-db",
                       "--auth-root-authentication-method=normal", "--tmpdir=" + directory.native(),
                       "--datadir=" + (directory / "data").native()},
         .environment = {},
         .log = log},
        reaper);
  }

  [[nodiscard]] Command command(const ServerGroup& group, std::size_t member,
                                const fs::path& directory) const override {
    const auto port = std::to_string(group.members.at(member).clients.number());
    return {.program = "/usr/sbin/mariadbd",
            .arguments = {"mariadbd", "--no-defaults", "--skip-grant-tables", "--user=root",
                          "--datadir=" + (directory / "data").native(), "--port=" + port,
                          "--bind-address=127.0.0.1", "--tmpdir=" + directory.native(),
                          "--socket=" + (directory / "socket").native(),
                          "--innodb-buffer-pool-size=8M", "--innodb-log-file-size=4M"},
            .environment = {},
            .log = {}};
  }

  // A server that lets a client in says its protocol first, after the packet's length and number:
  // 10, or 255 for an error (https://mariadb.com/kb/en/connection/#initial-handshake-packet).
  [[nodiscard]] bool serves(int port) const override {
    constexpr std::size_t header = 4;
    const auto said = ask_server(port, "", header + 1);
    return said.size() > header && said[header] == '\n';
  }
};

}  // namespace

std::unique_ptr<const ServerKind> mariadb() {
  return std::make_unique<MariaDb>();
}

}  // namespace faults
